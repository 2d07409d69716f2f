"""A response's body from what is known of its run."""

from __future__ import annotations

from beaver.agent.messages import Usage
from beaver.agent.results import AgentRunResult
from beaver.server.openai.response_body import output_of


def test_of_a_run_at_another_server_the_answer_alone_is_the_output() -> None:
    result = AgentRunResult("run_1", "s-1", "Beavers build dams.", (), (), Usage(), "stop", None)

    (message,) = output_of(result)

    assert message.content[0].text == "Beavers build dams."
