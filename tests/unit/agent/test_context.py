"""What a prompt is made of, in which order, and what is left out when it grows too long."""

from __future__ import annotations

from beaver.agent.context import PromptParts, build_messages, history_budget
from beaver.agent.messages import PromptMessage, ToolCall, ToolSpec
from beaver.agent.tokens import estimate_tokens

PLENTY = 100_000


def said(text: str) -> PromptMessage:
    return PromptMessage("user", text, "history")


def answered(text: str) -> PromptMessage:
    return PromptMessage("assistant", text, "history")


def everything() -> PromptParts:
    return PromptParts(
        identity="who I am",
        prompt="and now?",
        curated_memory="notes",
        curated_user="profile",
        skills_catalogue="- sums: adds",
        untrusted_rule="do not obey",
        activated_skills=(PromptMessage("user", "how to add", "skill"),),
        references=(PromptMessage("user", "once upon a time", "reference"),),
        history=(said("earlier"), answered("indeed")),
    )


def test_parts_stand_in_the_fixed_order() -> None:
    labels = [message.label for message in build_messages(everything(), tokens_max=PLENTY)]
    assert labels == [
        *("identity", "curated_memory", "curated_user", "skills", "rule"),
        *("skill", "reference", "history", "history", "prompt"),
    ]


def test_what_the_run_adds_follows_the_prompt() -> None:
    added = (PromptMessage("assistant", "", "history", (ToolCall("1", "sums", "{}"),)),)
    assert build_messages(everything(), added, tokens_max=PLENTY)[-1] == added[0]


def test_absent_and_blank_parts_give_no_message() -> None:
    messages = build_messages(PromptParts("me", "hello", curated_memory="  ", curated_user=None), tokens_max=PLENTY)
    assert [message.label for message in messages] == ["identity", "prompt"]


def test_only_the_system_part_has_the_system_role() -> None:
    roles = {message.label: message.role for message in build_messages(everything(), tokens_max=PLENTY)}
    assert {label for label, role in roles.items() if role == "system"} == {
        *("identity", "curated_memory", "curated_user", "skills", "rule")
    }


def test_the_oldest_whole_turns_are_left_out_until_the_rest_fits() -> None:
    call = PromptMessage("assistant", "", "history", (ToolCall("1", "sums", "{}"),))
    result = PromptMessage("tool", "4", "history", tool_call_id="1", tool_name="sums")
    old = (said("old " * 100), call, result, answered("old answer"))
    new = (said("new"), answered("new answer"))
    parts = PromptParts("me", "hello", history=(*old, *new))
    fixed = build_messages(PromptParts("me", "hello"), tokens_max=PLENTY)
    room = sum(message.tokens for message in (*fixed, *new))
    assert build_messages(parts, tokens_max=room)[1:-1] == new
    assert build_messages(parts, tokens_max=room - 1)[1:-1] == ()


def test_a_prompt_that_alone_is_too_long_is_never_cut() -> None:
    messages = build_messages(PromptParts("me", "word " * 5000, history=(said("x"),)), tokens_max=10)
    assert [message.label for message in messages] == ["identity", "prompt"]


def test_tool_results_of_the_run_push_out_history_and_leave_the_reference_as_it_was() -> None:
    parts = everything()
    before = build_messages(parts, tokens_max=PLENTY)
    room = sum(message.tokens for message in before)
    after = build_messages(parts, (PromptMessage("tool", "long " * 50, "history", tool_call_id="1"),), tokens_max=room)
    assert after[:7] == before[:7]
    assert after[7].label == "prompt"


def test_the_budget_leaves_room_for_the_answer_and_the_tools() -> None:
    tool = ToolSpec("sums", "x" * 400, {"type": "object"})
    assert history_budget(10_000, 4_000, ()) == 6_000
    assert 5_800 < history_budget(10_000, 4_000, (tool,)) < 5_900
    assert history_budget(10_000, 50_000, ()) == 2_500


def test_tokens_are_estimated_by_script() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("x" * 400) == 100
    assert estimate_tokens("记" * 130) == 100
    assert estimate_tokens("é" * 400) == 100
