//! Extensions in the terminal: commands, what is typed, dialogs, what they place around the editor, components.

use omp_testkit::{Reply, Scenario, Server, Wire};

use super::{Screen, last_prompt};
use crate::support;

/// A screen in a home with one extension of the user.
fn with_extension(replies: impl Into<Scenario>, source: &str) -> Screen {
    with_extension_sized(replies, 30, source)
}

fn with_extension_sized(replies: impl Into<Scenario>, rows: u16, source: &str) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/extensions/mine.ts", source);
    Screen::in_home(home, server, &[], rows, 100)
}

/// A command of an extension runs with what follows its name, is listed and completed with what it offers, and a name of a
/// built-in command is not for extensions.
///
/// proves: EXT-034, EXT-035, CLI-155
#[test]
fn commands_run_and_are_listed() {
    let mut screen = with_extension_sized(
        [] as [Reply; 0],
        120,
        r#"
        export default function (pi) {
          pi.registerCommand("greet", {
            description: "Greets somebody by name",
            getArgumentCompletions: (prefix) => ["Alice", "Bob"].filter((name) => name.startsWith(prefix)),
            handler: async (args, ctx) => ctx.ui.notify(`hello ${args}!`),
          });
          pi.registerCommand("help", { handler: async (args, ctx) => ctx.ui.notify("not the help") });
        }
        "#,
    );
    screen.wait_for("/help is built in");
    screen.send("/gre").wait_for("Greets somebody by name");
    screen.send("et A").wait_for("Alice").send("\t").wait_for("/greet Alice").send("\r");
    screen.wait_for("hello Alice!");
    screen.say("/help").wait_for("/model");
    screen.say("/quit");
    assert!(screen.terminal.wait_exit().success());
    let shown = String::from_utf8_lossy(&screen.terminal.bytes()).into_owned();
    assert!(!shown.contains("not the help"), "the built-in command runs");
    screen.server.finish();
}

/// It runs also while the model works; what fails in it is said, and nothing of it goes to the model.
///
/// proves: CLI-152, CLI-157
#[test]
fn commands_run_while_the_model_works() {
    let slow = Reply::new().text("begun").stall_after_event(2, std::time::Duration::from_secs(60));
    let mut screen = with_extension(
        [slow],
        r#"
        export default function (pi) {
          pi.registerCommand("now", { handler: async (args, ctx) => ctx.ui.notify(`idle: ${ctx.isIdle()}`) });
          pi.registerCommand("broken", { handler: async () => { throw new Error("it is broken"); } });
        }
        "#,
    );
    screen.say("go").wait_for("begun");
    screen.say("/now").wait_for("idle: false");
    screen.say("/broken").wait_for("/broken failed").wait_for("it is broken");
    assert_eq!(screen.server.requests().len(), 1);
}

/// The order of names: a built-in command, then an extension's, then a Markdown command.
#[test]
fn the_nearer_command_of_a_name_counts() {
    let server = Server::start([Reply::new().text("from the file")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let source = r#"export default (pi) => {
      for (const name of ["twice", "tools"]) pi.registerCommand(name, { handler: async (_, ctx) => ctx.ui.notify(`extension ${name}`) });
    };"#;
    home.write("home/.omp/agent/extensions/mine.ts", source);
    for name in ["twice", "tools"] {
        home.write(format!("home/.omp/agent/commands/{name}.md"), "The file says $1\n");
    }
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("/tools").wait_for("* bash");
    screen.say("/twice a").wait_for("extension twice");
    let (_, server, home) = screen.leave();
    assert_eq!(server.requests().len(), 0);
    std::fs::remove_file(home.path("home/.omp/agent/extensions/mine.ts")).unwrap();
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("/twice a").wait_for("from the file");
    assert_eq!(last_prompt(&screen.server), "The file says a");
}

/// What is typed is seen by extensions before built-in commands are: they may change it, or deal with it.
#[test]
fn what_is_typed_is_seen_first() {
    let mut screen = with_extension(
        [Reply::new().text("understood")],
        r#"
        export default function (pi) {
          pi.on("input", async (event, ctx) => {
            if (event.text === "/tools") return { action: "transform", text: "/model-free tools" };
            if (event.text.startsWith("/model-free")) throw new Error("asked twice");
            if (event.text.startsWith("mine ")) {
              ctx.ui.notify(`dealt with ${event.text.slice(5)}`);
              return { action: "handled" };
            }
            if (event.text.startsWith("?")) return { action: "transform", text: `Answer briefly: ${event.text.slice(1)}` };
          });
          pi.registerCommand("model-free", { handler: async (args, ctx) => ctx.ui.notify(`command: ${args}`) });
        }
        "#,
    );
    screen.say("mine work").wait_for("dealt with work");
    screen.say("/tools").wait_for("command: tools");
    screen.say("?why").wait_for("understood");
    assert_eq!(last_prompt(&screen.server), "Answer briefly: why");
    assert_eq!(screen.server.requests().len(), 1);
}

/// What an extension sends while nothing runs begins a turn.
#[test]
fn an_extension_begins_a_turn() {
    let mut screen = with_extension(
        [Reply::new().text("as you wish")],
        r#"
        export default function (pi) {
          pi.registerCommand("ask", { handler: async (args) => pi.sendUserMessage(`please ${args}`) });
        }
        "#,
    );
    screen.say("/ask rest").wait_for("as you wish");
    assert_eq!(last_prompt(&screen.server), "please rest");
}

/// Every question is asked and answered; Escape, a time limit and a signal leave it unanswered.
#[test]
fn questions_are_answered() {
    let mut screen = with_extension(
        [] as [Reply; 0],
        r#"
        export default function (pi) {
          pi.registerCommand("ask", { handler: async (args, ctx) => {
            const fruit = await ctx.ui.select("Which fruit?", ["Apple", "Pear"]);
            const sure = await ctx.ui.confirm("Really?", `You chose ${fruit}`);
            const name = await ctx.ui.input("Your name?", "a name");
            const none = await ctx.ui.select("Never mind", ["x"]);
            const late = await ctx.ui.confirm("Still there?", "", { timeout: 300 });
            const controller = new AbortController();
            setTimeout(() => controller.abort(), 100);
            const withdrawn = await ctx.ui.input("Withdrawn?", "", { signal: controller.signal });
            ctx.ui.notify(`answers: ${JSON.stringify([fruit, sure, name, none ?? null, late, withdrawn ?? null])}`);
          } });
        }
        "#,
    );
    screen.say("/ask").wait_for("Which fruit?").wait_for("Pear").send("\x1b[B\r");
    screen.wait_for("You chose Pear").send("1");
    screen.wait_for("Your name?").send("Ada").wait_for("Ada").send("\r");
    screen.wait_for("Never mind").send("\x1b");
    screen.wait_for(r#"answers: ["Pear",true,"Ada",null,false,null]"#);
    screen.wait_for("Ask anything");
}

/// The editor of a dialog: Enter begins a line, or submits in the manner of a prompt.
///
/// proves: EXT-042
#[test]
fn a_text_of_several_lines_is_edited() {
    let mut screen = with_extension(
        [] as [Reply; 0],
        r#"
        export default function (pi) {
          pi.registerCommand("edit", { handler: async (args, ctx) => {
            const text = await ctx.ui.editor("Write", "one");
            const prompt = await ctx.ui.editor("Prompt", "", undefined, { promptStyle: true });
            ctx.ui.notify(`texts: ${JSON.stringify([text, prompt])}`);
          } });
        }
        "#,
    );
    screen.say("/edit").wait_for("Ctrl+Enter").send("\rtwo").wait_for("two").send("\x1b[13;5u");
    screen.wait_for("Prompt").send("a\x1b[13;2ub\r");
    screen.wait_for(r#"texts: ["one\ntwo","a\nb"]"#);
}

/// What extensions place stands where it belongs: the status line, above and below the editor, the footer, the editor, the
/// title. No escape sequence of theirs is obeyed but colours.
///
/// proves: HOK-022, HOK-023, IOP-023
#[test]
fn things_are_placed_around_the_editor() {
    let mut screen = with_extension(
        [] as [Reply; 0],
        r#"
        export default function (pi) {
          pi.on("session_start", (event, ctx) => {
            ctx.ui.setStatus("z", "last \x1b[31mstatus\x1b[0m\n\x1b]0;hacked\x07");
            ctx.ui.setStatus("a", "first status");
            ctx.ui.setStatus("zz", "tail ".repeat(60));
            ctx.ui.setWidget("rows", Array.from({ length: 14 }, (_, row) => `widget row ${row}.\x1b[2J\x1b[31m red\x1b[0m`));
            ctx.ui.setWidget("below", ["stands below"], { placement: "belowEditor" });
            ctx.ui.setTitle("of an extension");
          });
          pi.registerCommand("rest", { handler: async (args, ctx) => {
            ctx.ui.setWidget("rows", undefined);
            ctx.ui.setWidget("comp", (tui, theme) => ({ render: (width) => [`component of ${width}`, theme.fg("accent", "coloured")], invalidate() {} }));
            ctx.ui.setFooter(() => ({ render: () => ["footer of mine"] }));
            ctx.ui.setHeader(() => ({ render: (width) => [`header of ${width}`] }));
            ctx.ui.setEditorText("typed for you");
          } });
          pi.registerCommand("back", { handler: async (args, ctx) => {
            ctx.ui.setFooter(undefined);
            ctx.ui.setWidget("comp", undefined);
            ctx.ui.notify(`the editor has ${JSON.stringify(ctx.ui.getEditorText())}`);
          } });
        }
        "#,
    );
    screen
        .wait_for("first status")
        .wait_for("last status")
        .wait_for("widget row 9.")
        .wait_for("stands below");
    let shown = screen.terminal.screen();
    assert!(shown.find("first status") < shown.find("last status"), "sorted by key: {shown}");
    assert_eq!(shown.lines().filter(|row| row.contains("tail")).count(), 1, "cut to the width: {shown}");
    assert!(!shown.contains("widget row 10."), "ten rows at most: {shown}");
    assert!(shown.find("widget row 9.") < shown.find("Ask anything"), "{shown}");
    assert!(shown.find("Ask anything") < shown.find("stands below"), "{shown}");
    let bytes = String::from_utf8_lossy(&screen.terminal.bytes()).into_owned();
    assert!(!bytes.contains("]0;hacked") && !bytes.contains("\x1b[2J\x1b[31m"), "nothing is obeyed");
    crate::mcp::until("the title", || {
        String::from_utf8_lossy(&screen.terminal.bytes()).contains("]0;of an extension")
    });
    screen
        .say("/rest")
        .wait_for("footer of mine")
        .wait_for("header of 100")
        .wait_for("component of 100")
        .wait_for("typed for you");
    screen.terminal.wait_without("widget row 1.");
    screen.terminal.wait_without("first status");
    screen.send("\x15").wait_for("Ask anything");
    screen.say("/back").wait_for("first status");
    screen.terminal.wait_without("component of 100");
}

/// A component takes the place of the editor and its keys until it is done; what was typed is there again.
///
/// proves: TUI-108, TUI-109, TUI-111
#[test]
fn a_component_takes_the_place_of_the_editor() {
    let server = Server::start([] as [Reply; 0]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", "app.interrupt: F6\n");
    home.write(
        "home/.omp/agent/extensions/mine.ts",
        r#"
        let disposed = 0;
        class Picker {
          constructor(tui, keys, done) { Object.assign(this, { tui, keys, done, at: 0 }); }
          render(width) { return [`picker at ${this.at} of ${width}`]; }
          handleInput(data) {
            if (data === "\x1b[B") this.at++;
            if (data === "\r") { this.done(this.at); this.done("twice"); }
            if (this.keys.matches(data, "app.interrupt")) this.done(undefined);
            this.tui.requestRender();
          }
          invalidate() {}
          dispose() { disposed++; }
        }
        export default function (pi) {
          const pick = async (ctx, overlay) => {
            const chosen = await ctx.ui.custom((tui, theme, keys, done) => new Picker(tui, keys, done), { overlay });
            ctx.ui.notify(`chosen: ${chosen}, disposed ${disposed}`);
          };
          pi.registerShortcut("ctrl+alt+k", { description: "Picks something", handler: async (ctx) => pick(ctx, false) });
          pi.registerShortcut("ctrl+alt+j", { description: "Picks over the rest", handler: async (ctx) => pick(ctx, true) });
          pi.registerShortcut("ctrl+c", { description: "Nothing", handler: async () => {} });
        }
        "#,
    );
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.wait_for("reserved");
    screen.send("half a thought").wait_for("half a thought");
    screen.send("\x1b[107;7u").wait_for("picker at 0 of 100");
    screen.terminal.wait_without("half a thought");
    screen.send("\x1b[B\x1b[B").wait_for("picker at 2").send("\r");
    screen.wait_for("chosen: 2, disposed 1").wait_for("half a thought");
    screen.send("\x1b[106;7u").wait_for("picker at 0 of 100").send("\x1b[17~");
    screen.wait_for("chosen: undefined, disposed 2").wait_for("half a thought");
}

/// Keys of extensions are listed with the others; reserved ones are refused with a warning.
///
/// proves: EXT-044, TUI-116, CLI-196
#[test]
fn keys_of_extensions_are_bound_and_listed() {
    let server = Server::start([] as [Reply; 0]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", "app.tools.expand: Ctrl+X\n");
    home.write(
        "home/.omp/agent/extensions/mine.ts",
        r#"export default (pi) => {
          pi.registerShortcut("ctrl+alt+y", { description: "Says yes", handler: async (ctx) => ctx.ui.notify("yes it is") });
          pi.registerShortcut("shift+tab", { description: "Never", handler: async (ctx) => ctx.ui.notify("never") });
        };"#,
    );
    let mut screen = Screen::in_home(home, server, &[], 120, 100);
    screen.wait_for("Shift+Tab is reserved");
    screen.send("\x1b[121;7u").wait_for("yes it is");
    screen.say("/hotkeys").wait_for("Ctrl+X").wait_for("Says yes");
}

/// A component that never ends its work ends its extension; the editor comes back, and the program goes on.
#[test]
fn a_component_that_loops_ends_its_extension() {
    let mut screen = with_extension(
        [Reply::new().text("still here")],
        r#"
        export default function (pi) {
          pi.registerCommand("hang", { handler: async (args, ctx) => {
            await ctx.ui.custom(() => ({ render: () => ["press a key"], handleInput() { for (;;) {} } }));
          } });
        }
        "#,
    );
    screen.say("/hang").wait_for("press a key").send("x");
    screen.wait_for("has ended").wait_for("Ask anything");
    screen.say("are you there?").wait_for("still here");
}

/// A component that throws is taken away, and its extension stays.
#[test]
fn a_component_that_throws_is_taken_away() {
    let mut screen = with_extension(
        [] as [Reply; 0],
        r#"
        export default function (pi) {
          pi.registerCommand("throw", { handler: async (args, ctx) => {
            const done = await ctx.ui.custom(() => ({ render: () => { throw new Error("cannot draw"); } }));
            ctx.ui.notify(`closed with ${done}`);
          } });
        }
        "#,
    );
    screen.say("/throw").wait_for("cannot draw").wait_for("closed with undefined").wait_for("Ask anything");
}

/// A command that leaves the session continues in the next one.
#[test]
fn a_command_goes_to_other_sessions() {
    let mut screen = with_extension(
        [Reply::new().text("first answer"), Reply::new().text("in the new session")],
        r#"
        export default function (pi) {
          pi.on("session_switch", (event) => console.log(event.reason));
          pi.registerCommand("start-over", { handler: async (args, ctx) => {
            await ctx.waitForIdle();
            const before = ctx.sessionManager.getSessionId();
            const { cancelled } = await ctx.newSession({ setup: async (manager) => {
              manager.appendMessage({ role: "user", content: "prepared words", timestamp: 1 });
            } });
            const after = ctx.sessionManager.getSessionId();
            ctx.ui.notify(`cancelled ${cancelled}, another session ${before !== after}`);
          } });
          pi.registerCommand("walk", { handler: async (args, ctx) => {
            const file = ctx.sessionManager.getSessionFile();
            const first = ctx.sessionManager.getEntries().find((entry) => entry.type === "message");
            const moved = await ctx.navigateTree(first.id);
            await ctx.newSession();
            const back = await ctx.switchSession(file);
            ctx.ui.notify(`walked ${moved.cancelled} ${back.cancelled} ${ctx.sessionManager.getSessionFile() === file}`);
          } });
          pi.registerCommand("older", { handler: async (args, ctx) => {
            const first = ctx.sessionManager.getEntries().find((entry) => entry.type === "message");
            const { cancelled } = await ctx.branch(first.id);
            ctx.ui.notify(`branched ${!cancelled}`);
          } });
        }
        "#,
    );
    screen.say("hello").wait_for("first answer").terminal.wait_without("Working");
    screen
        .say("/start-over")
        .wait_for("New session started")
        .wait_for("cancelled false, another session true");
    screen.say("and now").wait_for("in the new session").terminal.wait_without("Working");
    let requests = screen.server.requests();
    let body = requests.last().unwrap().body.to_string();
    assert!(body.contains("prepared words") && !body.contains("hello"), "{body}");
    screen.say("/walk").wait_for("walked false false true");
    // The message that was gone to is in the editor.
    screen.send("\x15").say("/older").wait_for("branched true");
}

/// A tool draws its calls and results; one whose drawing fails is shown as usual.
///
/// proves: EXT-074, TUI-112, TUI-113
#[test]
fn a_tool_draws_its_calls() {
    let call = |name: &str| Reply::new().tool_call(name, serde_json::json!({"city": "Rome"}));
    let mut screen = with_extension(
        [call("weather"), call("broken"), Reply::new().text("That is all.")],
        r#"
        export default function (pi) {
          const parameters = { type: "object", properties: { city: { type: "string" } } };
          const execute = async (id, { city }) => ({ content: [{ type: "text", text: `plain words on ${city}` }], details: { degrees: 21 } });
          const rows = (...rows) => ({ render: (width) => rows.map((row) => `${row} (${width})`), invalidate() {} });
          pi.registerTool({
            name: "weather", label: "Weather", description: "The weather", parameters, execute, approval: "read",
            renderCall: (args, options, theme) => rows(theme.fg("accent", `asking about ${args.city}`)),
            renderResult: (result, options, theme) => rows(`it has ${result.details.degrees} degrees, partial ${options.isPartial}\x1b[2J`),
          });
          pi.registerTool({
            name: "broken", label: "Broken", description: "Another", parameters, execute, approval: "read",
            renderResult: () => { throw new Error("cannot draw this"); },
          });
        }
        "#,
    );
    screen.say("how is it?").wait_for("That is all.");
    screen.wait_for("asking about Rome (100)").wait_for("it has 21 degrees, partial false");
    screen.wait_for("plain words on Rome");
    let shown = screen.terminal.screen();
    assert_eq!(
        shown.matches("plain words on Rome").count(),
        1,
        "only the broken one is shown as usual: {shown}"
    );
}

/// Messages of an extension are drawn by it, and below thinking stands what extensions add, in order.
///
/// proves: HOK-020
#[test]
fn messages_and_thinking_are_drawn() {
    let mut screen = with_extension(
        [Reply::new().thinking("Let me see.").text("Well.")],
        r#"
        export default function (pi) {
          pi.registerMessageRenderer("note", (message) => ({ render: () => [`drawn: ${message.content}`] }));
          for (const name of ["first", "second"]) {
            pi.registerAssistantThinkingRenderer(({ text }) => ({ render: () => [`${name} below ${text.length}`] }));
          }
          pi.registerCommand("note", { handler: async (args) => pi.sendMessage({ customType: "note", content: args, display: true }) });
        }
        "#,
    );
    screen.say("/note it down").wait_for("drawn: it down");
    screen.say("think").wait_for("Well.").wait_for("first below 11").wait_for("second below 11");
    let shown = screen.terminal.screen();
    let places: Vec<_> =
        ["Let me see.", "first below", "second below", "Well."].map(|text| shown.find(text)).into();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{shown}");
}

/// An extension sees keys before anybody else does: it may take them or make others of them. The way out stays.
///
/// proves: IOP-023
#[test]
fn keys_are_seen_first() {
    let mut screen = with_extension(
        [] as [Reply; 0],
        r#"
        export default function (pi) {
          pi.on("session_start", (event, ctx) => {
            ctx.ui.onTerminalInput((data) => {
              if (data === "x") return { consume: true };
              if (data === "y") return { data: "z" };
            });
            ctx.ui.notify("sees keys");
          });
        }
        "#,
    );
    screen.wait_for("sees keys").send("axby").wait_for("abz");
    screen.send("\x03").wait_for("again to exit").send("\x03");
    assert!(screen.terminal.wait_exit().success());
}

/// An editor of an extension stands in the place of ours: what is typed there is sent, and what the program puts into the
/// editor arrives there.
///
/// proves: IOP-023
#[test]
fn an_editor_of_an_extension_takes_the_place_of_ours() {
    let mut screen = with_extension(
        [Reply::new().text("heard you")],
        r#"
        import { CustomEditor } from "@mariozechner/pi-coding-agent";
        class Shouting extends CustomEditor {
          render(width) { return ["SHOUT:", ...super.render(width)]; }
          handleInput(data) { super.handleInput(/^[a-z]$/.test(data) ? data.toUpperCase() : data); }
        }
        export default function (pi) {
          pi.registerCommand("shout", { handler: async (args, ctx) => {
            ctx.ui.setEditorComponent((tui, theme, keybindings) => new Shouting(tui, theme, keybindings));
          } });
          pi.registerCommand("QUIET", { handler: async (args, ctx) => ctx.ui.setEditorComponent(undefined) });
        }
        "#,
    );
    screen.say("/shout").wait_for("SHOUT:");
    screen.send("hey").wait_for("HEY").send("\r").wait_for("heard you");
    assert_eq!(last_prompt(&screen.server), "HEY");
    screen.terminal.wait_without("Working");
    screen.send("/quiet").wait_for("/QUIET").send("\r").wait_for("Ask anything");
}

/// Extensions are loaded again by `/reload-plugins`: what the file says now counts, and it hears why it starts.
#[test]
fn extensions_are_loaded_again() {
    let source = |word: &str| {
        format!(
            r#"export default (pi) => {{
              pi.on("session_start", (event, ctx) => ctx.ui.notify(`started: ${{event.reason}}`));
              pi.registerCommand("{word}", {{ description: "about {word}", handler: async (args, ctx) => ctx.ui.notify("says {word}") }});
            }};"#
        )
    };
    let mut screen = with_extension([Reply::new().text("an answer")], &source("before"));
    screen.wait_for("started: startup");
    screen.say("hello").wait_for("an answer").terminal.wait_without("Working");
    screen.home.write("home/.omp/agent/extensions/mine.ts", source("after"));
    screen.say("/reload-plugins").wait_for("1 extension").wait_for("started: reload").wait_for("an answer");
    screen.say("/after").wait_for("says after");
    screen.send("/befo").wait_for("/befo").send("\r").wait_for("unknown command /befo");
}
