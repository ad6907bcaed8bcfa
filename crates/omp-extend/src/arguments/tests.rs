use proptest::prelude::*;

use super::*;

fn text(body: &str, written: &str) -> String {
    let filled = fill(body, written);
    assert_eq!(filled.warnings, [""; 0], "{body}");
    filled.text
}

// proves: CLI-163
#[test]
fn arguments_are_split_at_blanks_outside_quotes() {
    let table: [(&str, &[&str]); 14] = [
        ("", &[]),
        (" \t ", &[]),
        ("a b", &["a", "b"]),
        ("  a \t b  ", &["a", "b"]),
        ("\"a b\" c", &["a b", "c"]),
        ("'a b' c", &["a b", "c"]),
        ("a'b c'd", &["ab cd"]),
        ("\"it's\" 'say \"x\"'", &["it's", "say \"x\""]),
        ("'' \"\" a", &["a"]),
        ("a 'b c", &["a", "b c"]),
        ("a \"", &["a"]),
        (r#""a\" b"#, &["a\\", "b"]),
        (r"a\ b", &[r"a\", "b"]),
        ("a\nb c", &["a\nb", "c"]),
    ];
    for (written, arguments) in table {
        assert_eq!(split(written), arguments, "{written:?}");
    }
}

// proves: CLI-164
#[test]
fn placeholders_stand_for_arguments() {
    let twelve = "a b c d e f g h i j k l";
    let table = [
        ("<$1>", "x y", "<x>"),
        ("<$2 $1>", "x y", "<y x>"),
        ("<$3>", "x y", "<>"),
        ("<$10>", twelve, "<j>"),
        ("<$1$0>", "x", "<x$0>"),
        ("<$12>", twelve, "<l>"),
        ("<$99999999999999999999999>", "x", "<>"),
        ("<$@>", "x 'y z'", "<x y z>"),
        ("<$ARGUMENTS>", "x 'y z'", "<x y z>"),
        ("<$ARGUMENTS$1>", "x", "<xx>"),
        ("<$@[2]>", "x y z", "<y z>"),
        ("<$@[2:1]>", "x y z", "<y>"),
        ("<$@[2:]>", "x y z", "<y z>"),
        ("<$@[2:9]>", "x y z", "<y z>"),
        ("<$@[1:0]>", "x y z", "<>"),
        ("<$@[9]>", "x y z", "<>"),
        ("<$@[0]>", "x y z", "<>"),
        ("<$@[0:2]>", "x y z", "<>"),
        ("<$@[x]>", "x y", "<x y[x]>"),
        ("<$@[]>", "x y", "<x y[]>"),
        ("<$@[1>", "x y", "<x y[1>"),
        ("<$@$>", "x", "<x$>"),
        ("<$$1>", "x", "<$x>"),
        ("<$1>", "$2 y", "<$2>"),
        ("<$1 $2>", "$2 $1", "<$2 $1>"),
        ("<$ARGUMENTS>", "$1 $@", "<$1 $@>"),
        ("<$@> $HOME $ARGUMENTS_FILE", "x", "<x> $HOME $ARGUMENTS_FILE"),
    ];
    for (body, written, expected) in table {
        assert_eq!(text(body, written), expected, "{body} with {written}");
    }
}

// proves: CLI-165
#[test]
fn bodies_are_templates_over_the_arguments() {
    let table = [
        ("<{{ARGUMENTS}}>", "x 'y z'", "<x y z>"),
        ("<{{ arguments }}>", "x y", "<x y>"),
        ("<{{{ARGUMENTS}}}>", "x y", "<x y>"),
        ("<{{args}}>", "x y", "<x y>"),
        ("<{{args.[1]}}>", "x y", "<y>"),
        ("<{{args.1}}{{lookup args 0}}>", "x y", "<yx>"),
        ("{{#each args}}- {{this}}\n{{/each}}", "x y", "- x\n- y\n"),
        ("{{#each args}}\n{{@index}}:{{this}}\n{{/each}}\n", "x y", "0:x\n1:y\n"),
        ("{{#each args as |word|}}{{word}};{{/each}}", "x y", "x;y;"),
        ("{{#if args}}with $1{{else}}without{{/if}}", "x", "with x"),
        ("{{#if args}}with $1{{else}}without{{/if}}", "", "without"),
        ("{{#unless ARGUMENTS}}none{{/unless}}", "", "none"),
        ("a{{! a note }}b {{ARGUMENTS}}", "x", "ab x"),
        ("a{{!-- {{x}} --}}b {{ARGUMENTS}}", "x", "ab x"),
    ];
    for (body, written, expected) in table {
        assert_eq!(text(body, written), expected, "{body} with {written}");
    }
}

#[test]
fn arguments_are_not_escaped_and_not_expanded_again() {
    let written = "<b>&{{args}}</b>$1{{ARGUMENTS}}$ARGUMENTS";
    for body in ["{{ARGUMENTS}}", "$ARGUMENTS", "$1", "{{args.[0]}}", "{{#each args}}{{this}}{{/each}}"] {
        assert_eq!(text(body, written), written, "{body}");
    }
    assert_eq!(text("$1 {{ARGUMENTS}} $1", "{{arguments}}"), "{{arguments}} {{arguments}} {{arguments}}");
}

#[test]
fn what_is_not_ours_stays_as_written() {
    let bodies = [
        "run: ${{ secrets.TOKEN }}",
        "{{ name }} {{{html}}} {{> partial}} {{{{raw}}}} x {{{{/raw}}}}",
        "{{#if debug}} yes {{else}} no {{/if}}",
        "{{#each items}}{{this}}{{.}}{{@index}}{{/each}}",
        "{{ unclosed",
        "{{}} {{ }} }} {{/if}} {{else}} {{^}}",
        "${{ github.event.arguments }} {{ my.args }} {{ 'args' }} {{\"ARGUMENTS\"}}",
        "{{ range .Items }}{{ .Name | printf \"%s\" }}{{ end }}",
    ];
    for body in bodies {
        assert_eq!(text(body, ""), body);
        assert_eq!(
            text(&format!("{body} {{{{ARGUMENTS}}}}"), "x"),
            format!("{body} x"),
            "beside a tag of ours"
        );
    }
    assert_eq!(text("{{ a {{ARGUMENTS}} }}", "x"), "{{ a x }}");
    assert_eq!(text("{{ x.$1 }}", "y"), "{{ x.y }}");
    assert_eq!(text(r"\{{ARGUMENTS}} is {{ARGUMENTS}}", "x"), "{{ARGUMENTS}} is x");
}

#[test]
fn a_broken_template_stays_as_written_with_a_warning() {
    for body in
        ["{{#if args}} $1", "{{ args | join }}", "{{shout args}}", "{{#each args}}{{#if this}}{{/each}}"]
    {
        let filled = fill(body, "x");
        assert_eq!(filled.text, body.replace("$1", "x"));
        let [warning] = filled.warnings.as_slice() else { panic!("{body}: {:?}", filled.warnings) };
        assert!(
            warning.starts_with("the template is used unexpanded: ") && !warning.contains('\n'),
            "{warning}"
        );
    }
}

// proves: CLI-166
#[test]
fn arguments_without_a_place_go_after_the_body() {
    assert_eq!(text("Fix it.", " it's \"late\" "), "Fix it.\n\nit's \"late\"");
    assert_eq!(text("Fix it.\n", "now"), "Fix it.\n\nnow");
    assert_eq!(text("Fix it.", " "), "Fix it.");
    assert_eq!(text("Fix {{name}}.", "now"), "Fix {{name}}.\n\nnow");
    for body in
        ["Fix $1", "Fix $@[1:1]", "Fix $ARGUMENTS", "Fix {{ARGUMENTS}}", "Fix {{args}}", "Fix {{ x $1 }}"]
    {
        assert!(!text(body, "now").contains("\n\n"), "{body}");
    }
    assert_eq!(text("Fix{{#if args}} one{{/if}}", "now"), "Fix one");
}

#[test]
fn growth_is_bounded() {
    let large = "x".repeat(100_000);
    let filled = fill(&"$1".repeat(100_000), &large);
    assert!(filled.text.len() <= MAXIMUM + 100 && filled.text.ends_with("[Truncated.]"));
    assert_eq!(filled.warnings.len(), 1);

    let filled = fill(&"{{ARGUMENTS}}".repeat(100), &large);
    assert!(filled.text.starts_with("{{ARGUMENTS}}"));
    assert!(filled.warnings[0].contains("grows beyond"), "{:?}", filled.warnings);

    let many = "x ".repeat(1000);
    let nested = "{{#each args}}".repeat(4) + &"{{/each}}".repeat(4);
    assert!(fill(&nested, &many).warnings[0].contains("repeat"));
    let deep = "{{#if args}}".repeat(5000) + &"{{/if}}".repeat(5000);
    assert!(fill(&deep, "x").warnings[0].contains("5000 deep"));
    let parentheses = format!("{{{{#if {}args{}}}}}x{{{{/if}}}}", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(fill(&parentheses, "x").text, format!("{parentheses}\n\nx"));
}

#[test]
fn marks_in_the_text_do_no_harm() {
    let mark = "\u{e000}0\u{e001}0\u{e001}";
    assert_eq!(text(&format!("{mark}$1{mark}"), "x"), format!("{mark}x{mark}"));
    assert_eq!(text("$1 {{ARGUMENTS}}", mark), format!("{mark} {mark}"));
}

/// Pieces that mean something, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("$1"),
        Just("$@"),
        Just("$@[2:1]"),
        Just("$ARGUMENTS"),
        Just("$10"),
        Just("$"),
        Just("{{"),
        Just("}}"),
        Just("{{ARGUMENTS}}"),
        Just("{{#each args}}"),
        Just("{{this}}"),
        Just("{{/each}}"),
        Just("{{#if args}}"),
        Just("{{else}}"),
        Just("{{/if}}"),
        Just("{{ x }}"),
        Just("\\"),
        Just("{"),
        Just("\n"),
        Just(" a "),
        Just("é"),
        Just("\u{e000}0\u{e001}"),
        Just("{{!"),
        Just("--}}"),
        Just("'"),
        Just("\""),
        Just("~"),
        Just("[")
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn splitting_loses_nothing_but_blanks_and_quotes(written in "[ab \t'\"é]{0,40}") {
        let kept: String = written.chars().filter(|letter| !" \t'\"".contains(*letter)).collect();
        let arguments = split(&written);
        let joined: String = arguments.concat().chars().filter(|letter| !" \t'\"".contains(*letter)).collect();
        prop_assert_eq!(joined, kept);
        prop_assert!(arguments.iter().all(|argument| !argument.is_empty()));
    }

    #[test]
    fn filling_never_panics(body in prop_oneof![pieces(), any::<String>()], written in prop_oneof![pieces(), any::<String>()]) {
        fill(&body, &written);
    }

    /// A value that looks like a placeholder or a tag comes out as it went in, wherever it is put.
    #[test]
    fn values_are_never_expanded_again(body in pieces(), value in pieces()) {
        let value: String = value.chars().filter(|letter| !letter.is_whitespace() && !"'\"".contains(*letter)).collect();
        prop_assume!(!value.is_empty());
        let opaque = "\u{f0000}".repeat(3);
        let expected = fill(&body, &opaque).text.replace(&opaque, &value);
        prop_assert_eq!(fill(&body, &value).text, expected);
    }
}
