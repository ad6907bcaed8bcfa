//! What the contexts of extensions can do: commands that lead elsewhere, values of a session that is over, lists that are read
//! again.

use omp_testkit::{Reply, Scenario, Server, Wire};

use super::Screen;
use crate::extensions::{factory, log};
use crate::support;

fn say(text: &str) -> Reply {
    Reply::new().text(text)
}

fn with(replies: impl Into<Scenario>, config: &str, source: &str) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", config);
    home.write("home/.omp/agent/extensions/mine.ts", factory(source));
    Screen::in_home(home, server, &[], 40, 100)
}

/// A context of a session that is over gives what was last known; what it is asked to do is logged and not done.
// proves: IOP-024
#[test]
fn late_actions_are_logged_and_not_done() {
    let source = r#"
    let first, id;
    pi.on("session_start", (_event, ctx) => { first = ctx; id = ctx.sessionManager.getSessionId(); });
    pi.registerCommand("late", { handler: async (_args, ctx) => {
        setTimeout(() => {
            first.ui.notify("late words");
            first.ui.setEditorText("late text");
            log(first.sessionManager.getSessionId() === id, ctx.sessionManager.getSessionId() === id);
            log(first.sessionManager.getEntries().some((entry) => entry.message?.content === "hello"));
            ctx.ui.notify("that was late");
        }, 10);
    } });"#;
    let mut screen = with(vec![say("first answer")], "", source);
    screen.say("hello").wait_for("first answer").terminal.wait_without("Working");
    screen.say("/new").wait_for("New session started");
    screen.say("/late").wait_for("that was late");
    assert_eq!(log(&screen.home), ["true false", "true"]);
    screen.say("/extensions log").wait_for("ui.notify of a session that is over was not carried out");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("late words") && !shown.contains("late text"), "{shown}");
}

/// Everything that a command can do beyond what handlers can.
// proves: EXT-036, HOK-018
#[test]
fn commands_lead_elsewhere() {
    let source = r#"
    let loads = 0;
    const began = Math.random();
    pi.on("session_start", ({ reason }, ctx) => { log("start", reason); if (reason === "reload") ctx.ui.notify("loaded again"); });
    const user = (ctx, at) => ctx.sessionManager.getEntries().filter((entry) => entry.message?.role === "user")[at];
    pi.registerCommand("around", { handler: async (_args, ctx) => {
        await ctx.waitForIdle();
        const file = ctx.sessionManager.getSessionFile();
        log(typeof ctx.ui.notify, ctx.cwd.length > 0, ctx.hasUI);
        const begun = await ctx.newSession({ parentSession: file, setup: async (manager) => { manager.appendMessage({ role: "user", content: "prepared words", timestamp: 1 }); } });
        log(begun.cancelled, ctx.sessionManager.getHeader().parentSession === file, user(ctx, 0).message.content);
        const back = await ctx.switchSession(file);
        log(back.cancelled, ctx.sessionManager.getSessionFile() === file);
        const branched = await ctx.branch(user(ctx, 1).id);
        log(branched.cancelled, ctx.sessionManager.getSessionFile() !== file);
        const moved = await ctx.navigateTree(user(ctx, 0).id);
        log(moved.cancelled);
        ctx.ui.notify("been around");
    } });
    pi.registerCommand("shrink", { handler: async (_args, ctx) => {
        await ctx.compact({ customInstructions: "the numbers", onComplete: (result) => ctx.ui.notify(`shrunk ${result.summary.length > 0}`) });
    } });
    pi.registerCommand("again", { handler: async (_args, ctx) => { loads++; await ctx.reload(); } });
    pi.registerCommand("loads", { handler: async (_args, ctx) => ctx.ui.notify(`loads ${loads}`) });"#;
    let numbers: Vec<String> = (100..250).map(|number: u32| number.to_string()).collect();
    let long = |name: &str| say(&format!("{name}. {}", numbers.join(" ")));
    let replies = vec![long("one-answer"), long("two-answer"), say("## Summary"), say("line")];
    let mut screen = with(replies, "compaction:\n  keepRecentTokens: 350\n", source);
    screen.say("question one").wait_for("one-answer").terminal.wait_without("Working");
    screen.say("question two").wait_for("two-answer").terminal.wait_without("Working");
    screen.say("/shrink").wait_for("shrunk true");
    let asked = screen.server.requests()[2].body.to_string();
    assert!(asked.contains("the numbers"), "{asked}");
    screen.say("/around").wait_for("been around");
    let expected = [
        "start startup",
        "function true true",
        "false true prepared words",
        "false true",
        "false true",
        "false",
    ];
    assert_eq!(log(&screen.home), expected);
    screen.send("\x15").say("/again").wait_for("loaded again");
    screen.say("/loads").wait_for("loads 0");
}

/// Lists of commands are read at the start and when that is asked for; nobody watches files.
// proves: CLI-156
#[test]
fn commands_are_listed_again_when_asked() {
    let mut screen = with(
        vec![say("from the file"), say("from there")],
        "",
        "pi.registerCommand('old-one', { handler: async (_args, ctx) => ctx.ui.notify('old ran') });",
    );
    screen.say("/old-one").wait_for("old ran");
    screen.home.write("home/.omp/agent/commands/brand-new.md", "The file says hello\n");
    let source = factory(
        "pi.registerCommand('new-one', { handler: async (_args, ctx) => ctx.ui.notify('new ran') });",
    );
    screen.home.write("home/.omp/agent/extensions/second.ts", source);
    screen.send("/new-o").wait_for("/new-o").terminal.wait_without("/new-one");
    screen.send("\x15").say("/reload-plugins").wait_for("eloaded");
    screen.say("/new-one").wait_for("new ran");
    screen.say("/brand-new").wait_for("from the file");
    assert_eq!(super::last_prompt(&screen.server), "The file says hello");
    // Another directory has commands of its own.
    screen.home.write("work/elsewhere/.omp/commands/there.md", "Said elsewhere\n");
    screen.say("/move elsewhere").wait_for("Session moved");
    screen.say("/there").wait_for("from there");
    assert_eq!(super::last_prompt(&screen.server), "Said elsewhere");
}

/// Of two extensions that draw one kind of message the first one does.
// proves: HOK-019
#[test]
fn the_first_renderer_draws() {
    let server = Server::start([] as [Reply; 0]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    for name in ["a", "b"] {
        let source = format!(
            "pi.registerMessageRenderer('note', () => ({{ render: () => ['drawn by {name}'] }}));\n\
             pi.registerCommand('note', {{ handler: async () => pi.sendMessage({{ customType: 'note', content: 'from {name}', display: true }}) }});"
        );
        home.write(format!("home/.omp/agent/extensions/{name}.ts"), factory(&source));
    }
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/note").wait_for("drawn by a");
    assert!(!screen.terminal.screen().contains("drawn by b"));
}
