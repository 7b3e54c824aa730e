from tests.test_foreign import *
@pytest.mark.django_db
@pytest.mark.parametrize('capped',[100,50])
def test_cap(monkeypatch, person, capped):
    made=Made([{"id":i,"value":1} for i in range(1250)], monkeypatch, most=capped)
    t=made_target(PAGED,"",value="number")
    d=read_foreign(t,{},access_of(person("admin")),UTC,Wish())
    print(d.total,d.analysed,d.is_complete); assert not d.is_complete
@pytest.mark.django_db
def test_nopage(monkeypatch, person):
    made=Made([{"id":i,"value":1} for i in range(1250)], monkeypatch)
    doc="query ($filters: GenericScalar) { things(filters: $filters, pagination: {page: 1, limit: 25}) }"
    t=made_target(doc,"",value="number")
    d=read_foreign(t,{},access_of(person("admin")),UTC,Wish())
    print(d.total,d.analysed,d.is_complete); assert not d.is_complete
