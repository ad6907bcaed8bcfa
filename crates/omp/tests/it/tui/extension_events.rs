//! Extensions hear of compactions, of moves in the tree, of other sessions, of questions and of commands of the user; some
//! of it they may cancel or do themselves.

use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use super::tree::{messages, saved};
use super::{Screen, last_prompt};
use crate::extensions::{factory, log};
use crate::sessions::{lines, session_files};
use crate::support;

const SHORT: &str = "compaction:\n  keepRecentTokens: 350\n";

/// An answer that is long enough to be summed up.
fn long(name: &str) -> Reply {
    let numbers: Vec<String> = (0..150).map(|number| (number % 900 + 100).to_string()).collect();
    Reply::new().text(&format!("{name} begins. {}", numbers.join(" ")))
}

fn say(text: &str) -> Reply {
    Reply::new().text(text)
}

/// A screen with extensions of the user, which are loaded in this order.
fn with<const N: usize>(replies: impl Into<Scenario>, config: &str, extensions: [&str; N]) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", config);
    for (at, lines) in extensions.iter().enumerate() {
        home.write(format!("home/.omp/agent/extensions/e{at}.ts"), factory(lines));
    }
    Screen::in_home(home, server, &[], 40, 100)
}

/// Two long turns; the last one is kept.
fn talk<const N: usize>(more: Vec<Reply>, extensions: [&str; N]) -> Screen {
    let replies = [long("first-answer"), long("second-answer")].into_iter().chain(more).collect::<Vec<_>>();
    let mut screen = with(replies, SHORT, extensions);
    screen.say("the first question").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("the second question").wait_for("second-answer").terminal.wait_without("Working");
    screen
}

fn entries(screen: &Screen, kind: &str) -> Vec<Value> {
    lines(&saved(screen)).into_iter().filter(|line| line["type"] == kind).collect()
}

// proves: CMP-006, CMP-097, CMP-099
#[test]
fn an_extension_compacts_instead_of_a_model() {
    let lines = r###"
    pi.on("session_before_compact", ({ preparation, branchEntries, customInstructions, signal }) => {
        const { firstKeptEntryId, messagesToSummarize, tokensBefore, fileOps } = preparation;
        log(messagesToSummarize[0].content, tokensBefore > 0, branchEntries.some((entry) => entry.id === firstKeptEntryId));
        log(customInstructions, signal.aborted, fileOps.read instanceof Set);
        return { compaction: { summary: "## Made by hand", firstKeptEntryId, tokensBefore, details: { mine: 1 } } };
    });
    pi.on("session_compact", ({ compactionEntry, fromExtension }, ctx) => {
        log(compactionEntry.type, compactionEntry.summary, fromExtension);
        ctx.ui.notify("heard of it");
    });"###;
    let mut screen = talk(vec![say("third-answer")], [lines]);
    screen.say("/compact the numbers").wait_for("Compacted from").wait_for("heard of it");
    let told = log(&screen.home);
    assert_eq!(told[0], "the first question true true");
    assert_eq!(told[1], "the numbers false true");
    assert_eq!(told[2], "compaction ## Made by hand true");
    let entry = entries(&screen, "compaction").pop().expect("the entry");
    assert_eq!((&entry["fromExtension"], &entry["details"]), (&json!(true), &json!({"mine": 1})));
    screen.say("the third question").wait_for("third-answer");
    let requests = screen.server.requests();
    assert_eq!(requests.len(), 3, "no model was asked for a summary");
    let body = requests[2].body.to_string();
    assert!(body.contains("Made by hand") && !body.contains("first-answer"), "{body}");
}

/// The last answer counts, and one that cancels is the last.
// proves: HOK-005
#[test]
fn a_cancelled_compaction_changes_nothing() {
    let first = r#"pi.on("session_before_compact", () => { log("first"); return { compaction: { summary: "no" } }; });"#;
    let second = r#"pi.on("session_before_compact", () => { log("second"); return { cancel: true }; });
        pi.on("session_before_compact", () => log("never"));"#;
    let third = r#"pi.on("session_before_compact", () => log("never"));
        pi.on("session_compact", () => log("never"));"#;
    let mut screen = talk(Vec::new(), [first, second, third]);
    screen.say("/compact").wait_for("an extension cancelled it");
    assert_eq!(log(&screen.home), ["first", "second"]);
    assert_eq!(screen.server.requests().len(), 2);
    assert!(entries(&screen, "compaction").is_empty());
}

/// What extensions want of a summary goes to the model that writes it. The last answer counts.
// proves: CMP-098
#[test]
fn extensions_say_what_a_summary_attends_to() {
    let first =
        r#"pi.on("session.compacting", () => ({ context: ["never read"], preserveData: { old: 1 } }));"#;
    let second = r#"pi.on("session.compacting", ({ sessionId, messages }, ctx) => {
        log(sessionId === ctx.sessionManager.getSessionId(), messages[0].content);
        return { context: ["the build is red", "the user is Ada"], prompt: "List the numbers only.", preserveData: { mine: 2 } };
    });
    pi.on("session_compact", ({ fromExtension }) => log(fromExtension));"#;
    let mut screen = talk(vec![say("## A summary"), say("line")], [first, second]);
    screen.say("/compact").wait_for("Compacted from");
    assert_eq!(log(&screen.home), ["true the first question", "false"]);
    let asked = last_user_text(&screen, 2);
    for part in ["<additional-context>\nthe build is red\n", "the user is Ada", "List the numbers only."] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    assert!(!asked.contains("never read") && asked.ends_with("List the numbers only."), "{asked}");
    let entry = entries(&screen, "compaction").pop().expect("the entry");
    assert_eq!(entry["preserveData"], json!({"mine": 2}));
}

fn last_user_text(screen: &Screen, request: usize) -> String {
    support::last_user(&screen.server.requests()[request].body).as_str().unwrap_or_default().to_owned()
}

/// Moves in the tree: cancelled, as they are, and with a summary of the extension's own where one is wanted.
// proves: CMP-100, SES-137, SES-138
#[test]
fn moves_in_the_tree_are_asked_about() {
    let lines = r#"
    let how = "";
    pi.on("session_before_tree", ({ preparation, signal }, ctx) => {
        const { targetId, oldLeafId, commonAncestorId, entriesToSummarize, userWantsSummary } = preparation;
        const at = (id) => ctx.sessionManager.getEntry(id)?.message?.content?.[0]?.text ?? ctx.sessionManager.getEntry(id)?.message?.content;
        log("before", at(targetId), at(oldLeafId), at(commonAncestorId), entriesToSummarize.length, userWantsSummary, signal.aborted);
        if (how === "cancel") return { cancel: true };
        return { summary: { summary: "what the extension saw", details: { kept: true } } };
    });
    pi.on("session_tree", (event, ctx) =>
        log("tree", event.newLeafId === ctx.sessionManager.getLeafId(), event.oldLeafId !== event.newLeafId, event.summaryEntry?.summary, event.fromExtension));
    pi.registerCommand("go", { handler: async (args, ctx) => {
        const [wanted, summarize] = args.split(" ");
        how = wanted;
        const beta = ctx.sessionManager.getEntries().filter((entry) => entry.message?.role === "user")[1];
        const { cancelled } = await ctx.navigateTree(beta.id, { summarize: summarize === "yes" });
        ctx.ui.notify(`went ${args}: ${!cancelled}`);
    } });"#;
    let replies = vec![say("alpha-answer."), say("beta-answer."), say("gamma-answer."), say("delta-answer.")];
    let mut screen = with(replies, "", [lines]);
    screen.say("question alpha").wait_for("alpha-answer.");
    screen.say("question beta").wait_for("beta-answer.");
    screen.say("/go cancel yes").wait_for("went cancel yes: false");
    screen.say("/go on no").wait_for("went on no: true").wait_for("│ question beta");
    screen.send("\x15question gamma\r").wait_for("gamma-answer.");
    screen.say("/go on yes").wait_for("went on yes: true").wait_for("│ question beta");
    screen.send("\x15question delta\r").wait_for("delta-answer.");
    let told = log(&screen.home);
    assert_eq!(told[0], "before question beta beta-answer. alpha-answer. 2 true false");
    assert_eq!(told[1], "before question beta beta-answer. alpha-answer. 2 false false");
    assert_eq!(told[2], "tree true true undefined undefined", "nobody wanted a summary");
    assert_eq!(told[3], "before question beta gamma-answer. alpha-answer. 2 true false");
    assert_eq!(told[4], "tree true true what the extension saw true");
    let summary = entries(&screen, "branch_summary").pop().expect("the summary");
    assert_eq!((&summary["fromExtension"], &summary["details"]), (&json!(true), &json!({"kept": true})));
    let body = screen.server.requests().last().unwrap().body.to_string();
    assert!(body.contains("what the extension saw") && !body.contains("gamma"), "{body}");
    assert_eq!(screen.server.requests().len(), 4, "no model was asked for a summary");
    assert_eq!(messages(&saved(&screen)).len(), 8, "all in one file");
}

/// A new file for a branch, asked about first.
// proves: SES-111
#[test]
fn branches_are_asked_about() {
    let lines = r#"
    let cancel = true;
    pi.on("session_before_branch", ({ entryId }, ctx) => {
        log("before", ctx.sessionManager.getEntry(entryId).message.content);
        return { cancel };
    });
    pi.on("session_branch", ({ previousSessionFile }, ctx) => log("branch", previousSessionFile !== ctx.sessionManager.getSessionFile()));
    pi.registerCommand("fork-it", { handler: async (args, ctx) => {
        cancel = args === "cancel";
        const beta = ctx.sessionManager.getEntries().filter((entry) => entry.message?.role === "user")[1];
        const answer = await ctx.branch(beta.id);
        ctx.ui.notify(`branched ${args}: ${!answer.cancelled}`);
    } });"#;
    let mut screen = with(vec![say("alpha-answer."), say("beta-answer.")], "", [lines]);
    screen.say("question alpha").wait_for("alpha-answer.");
    screen.say("question beta").wait_for("beta-answer.");
    screen.say("/fork-it cancel").wait_for("branched cancel: false");
    assert_eq!(session_files(&screen.home).len(), 1);
    screen.say("/fork-it now").wait_for("branched now: true").wait_for("│ question beta");
    assert_eq!(log(&screen.home), ["before question beta", "before question beta", "branch true"]);
    assert_eq!(session_files(&screen.home).len(), 2);
}

/// Another session can be refused, and is announced with the file of the one before.
// proves: EXT-055, SES-165, LOP-161
#[test]
fn other_sessions_are_asked_about() {
    let lines = r#"
    let cancel = true, first;
    pi.on("session_before_switch", ({ reason, targetSessionFile }, ctx) => { log("before", reason, targetSessionFile !== undefined); if (cancel) ctx.ui.notify(`no ${reason}`); return { cancel }; });
    pi.on("session_switch", ({ reason, previousSessionFile }, ctx) => { first ??= previousSessionFile; log("switch", reason, previousSessionFile !== ctx.sessionManager.getSessionFile()); ctx.ui.notify(`arrived by ${reason}`); });
    pi.registerCommand("allow", { handler: async (_args, ctx) => { cancel = false; ctx.ui.notify("allowed"); } });
    pi.registerCommand("swap", { handler: async (_args, ctx) => {
        const answer = await ctx.switchSession(first);
        ctx.ui.notify(`swapped: ${!answer.cancelled}`);
    } });"#;
    let mut screen = with(vec![say("one-answer."), say("two-answer.")], "", [lines]);
    screen.say("question one").wait_for("one-answer.");
    screen.say("/new").wait_for("no new").wait_for("an extension cancelled it");
    screen.say("/fork").wait_for("no fork");
    screen.say("/allow").wait_for("allowed").say("/new").wait_for("arrived by new");
    screen.say("question two").wait_for("two-answer.");
    screen.say("/swap").wait_for("arrived by resume");
    screen.wait_for("swapped: true").wait_for("one-answer.");
    let expected = [
        "before new false",
        "before fork false",
        "before new false",
        "switch new true",
        "before resume true",
        "switch resume true",
    ];
    assert_eq!(log(&screen.home), expected);
    assert_eq!(session_files(&screen.home).len(), 2, "nothing was copied");
}

/// `/new` while another session is on its way is not lost: it comes after that.
#[test]
fn a_new_session_follows_a_switch_that_takes_long() {
    let lines = r#"
    let decide;
    pi.on("session_before_switch", async ({ reason }, ctx) => {
        if (reason !== "fork") return;
        ctx.ui.notify("deciding");
        return { cancel: await new Promise((resolve) => { decide = resolve; }) };
    });
    pi.on("session_switch", ({ reason }, ctx) => ctx.ui.notify(`arrived by ${reason}`));
    pi.registerCommand("decide", { handler: async () => decide(true) });"#;
    let mut screen = with(vec![say("one-answer.")], "", [lines]);
    screen.say("question one").wait_for("one-answer.");
    screen.say("/fork").wait_for("deciding").say("/new").say("/decide");
    screen.wait_for("arrived by new");
}

/// Neither while the model works nor without a file, whatever extensions say.
// proves: LOP-161
#[test]
fn a_fork_needs_a_conversation_that_stands_still() {
    let slow = say("begun").stall_after_event(2, std::time::Duration::from_secs(600));
    let lines = r#"pi.on("session_before_switch", () => log("asked"));"#;
    let mut screen = with(vec![slow], "", [lines]);
    screen.say("go").wait_for("begun").say("/fork").wait_for("still responding");
    assert!(!screen.terminal.screen().contains("Session forked"));
    let server = Server::start(vec![say("in memory.")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/extensions/mine.ts", factory(lines));
    let mut screen = Screen::in_home(home, server, &["--no-session"], 30, 100);
    screen.say("go").wait_for("in memory.").say("/fork");
    screen.wait_for("Fork failed (session not persisted or cancelled)");
    assert!(log(&screen.home).is_empty());
}

/// A command of the user whose result an extension has: nothing runs, and the model reads the same as ever.
#[test]
fn an_extension_has_the_result_of_a_command() {
    let lines = r#"pi.on("user_bash", ({ command, excludeFromContext, cwd }) => {
        log(command, excludeFromContext, cwd.length > 0);
        if (command.startsWith("touch")) return { result: { output: "made up", exitCode: 7, cancelled: false, truncated: false } };
    });"#;
    let mut screen = with(vec![say("read it")], "", [lines]);
    screen.say("!touch ran.txt").wait_for("made up").wait_for("7");
    screen.say("!!echo to-me-alone").wait_for("to-me-alone");
    screen.say("go").wait_for("read it");
    assert!(!screen.home.exists("work/ran.txt"));
    assert_eq!(log(&screen.home), ["touch ran.txt false true", "echo to-me-alone true true"]);
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("made up") && !body.contains("to-me-alone"), "{body}");
    assert_eq!(last_prompt(&screen.server), "go");
}

/// Questions about calls, and their answers.
#[test]
fn questions_are_heard_of() {
    let call = |command: &str| Reply::new().tool_call("bash", json!({"_i": "x", "command": command}));
    let lines = r#"
    pi.on("tool_approval_requested", ({ toolName, toolCallId }) => log("asked", toolName, toolCallId.length > 0));
    pi.on("tool_approval_resolved", ({ toolName, approved }, ctx) => { log("answered", toolName, approved); ctx.ui.notify(`answered ${approved}`); });"#;
    let config = "tools:\n  approvalMode: always-ask\n";
    let mut screen = with(vec![call("touch ran.txt"), say("refused.")], config, [lines]);
    screen.say("go").wait_for("Allow tool: bash");
    screen.refuse();
    screen.wait_for("refused.").wait_for("answered false");
    assert_eq!(log(&screen.home), ["asked bash true", "answered bash false"]);
    assert!(!screen.home.exists("work/ran.txt"));
}
