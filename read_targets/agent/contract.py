"""The answer of a tool: one JSON object for every tool and every door.

Field names are those of seed 001, which carry the facts of seed 000. Blocks that an answer does not have are left
out; `scope`, `coverage`, `units`, `summary` and `provenance` of a read always stand, and a null inside data stays.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import models_json_schema

FailureOutcome = Literal["INVALID_INPUT", "REJECTED", "CONFLICT", "DEPENDENCY", "INTERNAL"]

HTTP_STATUS: dict[str, int] = {
    "READY": 200,
    "PARTIAL": 200,
    "CANCELLED": 200,
    "NOT_READY": 202,
    "INVALID_INPUT": 400,
    "REJECTED": 403,
    "CONFLICT": 409,
    "DEPENDENCY": 503,
    "INTERNAL": 500,
}
"""The status that each outcome has over HTTP, where nothing of HTTP itself (401, 413, 429) comes first."""


class Part(BaseModel):
    """A part of the answer; in JSON its names are in camel case and what was not given is left out."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)

    def to_json(self) -> dict[str, Any]:
        """Return the part as the JSON object that is sent."""
        return self.model_dump(mode="python", by_alias=True, exclude_unset=True)


class NextAction(Part):
    """What the agent may do next, instead of a policy that nobody enforces."""

    type: Literal["NONE", "FIX_ARGUMENTS", "ASK_USER", "REFRESH_STATE", "WAIT", "CHANGE_SCOPE", "CONFIGURE_APP"]
    fields: list[str] = Field(default_factory=list, description="Arguments that are wrong; with FIX_ARGUMENTS.")
    required_any_of: list[str] = Field(default_factory=list, description="At least one of these must be given.")
    missing: list[str] = Field(default_factory=list, description="What only the person knows; with ASK_USER.")
    delay_ms: int = Field(0, description="Milliseconds after which asking again makes sense; with WAIT.")


class TimeRange(Part):
    """The half-open range that the conditions on the list's date leave; null where a side is open."""

    start: str | None
    end: str | None


class Scope(Part):
    """What produced the figures."""

    entity_type: str
    selected_ids: list[str]
    time_range: TimeRange | None = None
    filters: dict[str, Any]
    time_zone: str


class Coverage(Part):
    """How much of what was asked for the figures cover; completeness is derived from it, never declared."""

    requested_rows: int | None = Field(description="Rows that the conditions select; null where the list cannot say.")
    analysed_rows: int = Field(description="Rows behind the figures.")
    requested_entities: int
    analysed_entities: int
    omissions: list[str] = Field(default_factory=list, description="What is missing, by name.")
    values_missing: bool = Field(False, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _read_back(cls, facts: Any) -> Any:
        """Take what was written once: completeness is derived anew, so what it said is kept as what it came from."""
        if not isinstance(facts, dict) or "isComplete" not in facts:
            return facts
        facts = dict(facts)
        whole = facts.pop("isComplete") or facts["requestedRows"] != facts["analysedRows"]
        return facts if whole else {**facts, "values_missing": True}

    @computed_field(alias="isComplete")  # type: ignore[prop-decorator]  # as pydantic documents it
    @property
    def is_complete(self) -> bool:
        """Whether the figures cover all: every row, and every value inside a figure; an unknown total does not."""
        return self.requested_rows == self.analysed_rows and not self.values_missing


class Numeric(Part):
    """The values of a column summed up, none of them counted twice; left out where rows have none of it."""

    count: int = 0
    sum: Any = None
    average: Any = Field(None, description="The mean of the values, each counted alike.")
    min: Any = None
    max: Any = None


class RowsMetric(Numeric):
    """A column whose average counts every value alike."""

    average_basis: Literal["rows"]


class WeightsMetric(Numeric):
    """A column whose average counts a value as often as its weight says: sum(value * weight) / sum(weight)."""

    average_basis: Literal["weights"]
    weighted_average: Any = Field(None, description="Null where the weights come to zero.")
    weight_total: Any = None
    weighted_count: int = Field(0, description="Values that have a weight.")
    missing_weight_count: int = Field(0, description="Values that have none, or none for this person.")
    weight_field: str = ""
    is_weight_complete: bool = Field(True, description="Whether every value has a weight.")


class RatioMetric(Numeric):
    """A column that is one sum over another: sum(numerator) / sum(denominator), of the rows that have both."""

    average_basis: Literal["ratio"]
    ratio: Any = Field(None, description="Null where the denominators come to zero.")
    numerator_total: Any = None
    denominator_total: Any = None
    contributing_row_count: int = 0
    missing_part_count: int = Field(0, description="Rows that lack either part, or lack it for this person.")
    numerator_field: str = ""
    denominator_field: str = ""
    is_ratio_complete: bool = Field(True, description="Whether every row has both parts.")


Metric = Annotated[RowsMetric | WeightsMetric | RatioMetric, Field(discriminator="average_basis")]
"""A column summed up, told apart by the basis on which its average stands. Groups carry the sum and that average."""


class GoalSummary(Part):
    """A goal beside the figure that it is about: the average of `metric` on that column's own basis."""

    metric: str
    figure: Literal["average", "weightedAverage", "ratio"] = Field(description="Which figure of the metric is meant.")
    target: Any
    actual: Any = Field(description="The figure; null where there is none.")
    direction: Literal["higher_is_better", "lower_is_better"]
    delta: Any = Field(description="The figure less the target.")
    is_met: bool | None
    source: str = Field("", description="Whose goal it is: personal, company, well.")
    label: str = ""


class GroupSummary(Part):
    """The rows that share a value. A `withheld` value is there, but not for this person."""

    key: Any
    withheld: bool = False
    row_count: int
    metrics: dict[str, Metric]


class RestSummary(Part):
    """The groups that are not named one by one."""

    group_count: int
    row_count: int
    metrics: dict[str, Metric]


class Summary(Part):
    """The figures over the whole permitted list, and over its groups where they were asked for."""

    metrics: dict[str, Metric]
    group_by: str | None = None
    groups: list[GroupSummary] = Field(default_factory=list)
    rest: RestSummary | None = None


class SampleRows(Part):
    """Some of the rows; never what the figures were computed from."""

    items: list[dict[str, Any]]
    returned: int
    total_analysed: int
    truncated: bool


class Provenance(Part):
    """Where the numbers came from, and when."""

    source: Literal["BACKEND_QUERY"]
    computed_at: str
    behind_ms: int = Field(
        0, description="Read from a replica: by how many milliseconds at most it was behind; left out where it was not."
    )


class WorkspaceFacts(Part):
    """The workspace behind a card."""

    name: str
    version: int
    contents: dict[str, int]


class CardFacts(Part):
    """What the person may click. `applied` conditions stand in the screen's address, `not_applied` ones do not."""

    id: str
    kind: Literal["workspace", "open-page", "confirmation"]
    icon: str
    label: str
    url: str
    workspace: WorkspaceFacts | None = None
    applied: list[str] = Field(default_factory=list)
    not_applied: list[str] = Field(default_factory=list)
    not_applied_labels: list[str] = Field(default_factory=list)


class DataResult(Part):
    """A read that came through: whole, or bounded and saying so."""

    success: Literal[True]
    outcome: Literal["READY", "PARTIAL"]
    is_data_ready: bool
    tool_name: str
    call_id: str
    message: str
    code: str = Field("", description="Why the read is bounded; with PARTIAL.")
    scope: Scope
    coverage: Coverage
    units: dict[str, str]
    summary: Summary
    sample_rows: SampleRows | None = None
    record: dict[str, Any] | None = None
    goals: list[GoalSummary] = Field(default_factory=list)
    provenance: Provenance
    card: CardFacts | None = None


class ReadyResult(Part):
    """A call that came through and carries no data of a list: a card, what is open, or a command that ran."""

    success: Literal[True]
    outcome: Literal["READY"]
    tool_name: str
    call_id: str
    message: str
    scope: Scope | None = None
    card: CardFacts | None = None
    command: str = Field("", description="The command that ran.")
    input: dict[str, Any] = Field(default_factory=dict, description="The object that it ran for: type and id.")
    state: dict[str, Any] = Field(default_factory=dict, description="What stands now, as a snapshot read found it.")
    changed: dict[str, Any] = Field(default_factory=dict, description="What the command moved, and only that.")
    resulting_state: dict[str, Any] = Field(default_factory=dict, description="Read back after the command ran.")
    delivery: Literal["SHOWN", "DELIVERED", "NONE"] = Field(
        "NONE", description="How far the person's tab got: it said that it showed it, it fetched it, or neither."
    )


class NotReadyResult(Part):
    """A call that waits, for a person's answer say; it is asked for again by its id."""

    success: Literal[True]
    outcome: Literal["NOT_READY"]
    is_data_ready: Literal[False]
    tool_name: str
    call_id: str
    message: str
    code: str
    next_action: NextAction
    command: str = ""
    input: dict[str, Any] = Field(default_factory=dict)
    card: CardFacts | None = None


class CancelledResult(Part):
    """A call that a person declined, or that nobody could be asked about; nothing was done. No failure of the call."""

    success: Literal[True]
    outcome: Literal["CANCELLED"]
    executed: Literal[False]
    tool_name: str
    call_id: str
    message: str
    code: str
    next_action: NextAction
    command: str = ""
    input: dict[str, Any] = Field(default_factory=dict)


class FailureResult(Part):
    """A refusal: what was wrong, and what would fit."""

    success: Literal[False]
    outcome: FailureOutcome
    tool_name: str
    call_id: str
    error: str
    message: str
    code: str
    params: dict[str, Any] = Field(default_factory=dict)
    command: str = Field("", description="The command that was refused.")
    input: dict[str, Any] = Field(default_factory=dict, description="The object that was passed: type and id.")
    reasons: list[str] = Field(default_factory=list, description="The application's own reasons, for the person.")
    language: str = Field("", description="The language of the reasons.")
    pages: list[dict[str, Any]] = Field(default_factory=list, description="The open pages to choose from.")
    executed: bool = Field(False, description="Whether something was done all the same, where that is known.")
    next_action: NextAction


ToolResult = DataResult | ReadyResult | NotReadyResult | CancelledResult | FailureResult

RESULTS: tuple[type[ToolResult], ...] = (DataResult, ReadyResult, NotReadyResult, CancelledResult, FailureResult)
"""The shapes that an answer has."""

_SHAPES: dict[str, type[ToolResult]] = {"NOT_READY": NotReadyResult, "CANCELLED": CancelledResult}


def result_from(answer: dict[str, Any]) -> ToolResult:
    """Return the result that `answer` is the JSON object of; raises pydantic's ValidationError where it is of none."""
    if not answer.get("success"):
        return FailureResult.model_validate(answer)
    fallback = DataResult if "coverage" in answer else ReadyResult
    return _SHAPES.get(answer.get("outcome", ""), fallback).model_validate(answer)


class Refused(Exception):
    """A call that is refused, from wherever it is found out; the dispatcher makes the answer of it.

    `error` is one English sentence for the model. `params` hold what was wrong and what would fit, and nothing that
    anybody wrote or that a row holds. `facts` are further fields of `FailureResult`, by their names there: the command
    and its input, the application's reasons and their language.
    """

    def __init__(
        self,
        outcome: FailureOutcome,
        code: str,
        error: str,
        *,
        params: dict[str, Any] | None = None,
        next_action: NextAction | None = None,
        message: str = "",
        facts: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(error)
        self.outcome = outcome
        self.code = code
        self.error = error
        self.message = message or error
        self.params = params or {}
        self.next_action = next_action or NextAction(type="NONE")
        self.facts = facts or {}

    def result(self, tool_name: str, call_id: str) -> FailureResult:
        """Return the refusal as the answer of a tool."""
        return FailureResult(
            success=False,
            outcome=self.outcome,
            tool_name=tool_name,
            call_id=call_id,
            error=self.error,
            message=self.message,
            code=str(self.code),
            **({"params": self.params} if self.params else {}),
            **self.facts,
            next_action=self.next_action,
        )


def result_schemas(ref_template: str) -> dict[str, Any]:
    """Return the JSON schema of every answer and its parts, by name; `ref_template` is how they refer to each other."""
    _, document = models_json_schema([(model, "serialization") for model in RESULTS], ref_template=ref_template)
    return dict(document["$defs"])
