"""Agents that sign in by themselves: OAuth 2.1 on django-oauth-toolkit (the extra `oauth`).

A host installs the app `read_targets.agent.oauth`, beside `oauth2_provider`, and its addresses; without that nothing
of it is imported. What the toolkit keeps (clients, codes, access and refresh tokens) is kept in its tables. What an
agent may do is kept in ours: each consent of a person makes or renews one `AgentToken` for that client, and whatever
the client signs in with stands for that row, for as long as it holds (docs/decisions/0019).
"""
