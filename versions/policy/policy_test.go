package policy

import (
	"errors"
	"slices"
	"testing"
)

func TestDecide(t *testing.T) {
	agent := Act{Verb: "edit", Paths: []string{"/notes/a.md"}, Actor: "claude-code", Door: "hook"}
	with := func(change func(*Act)) Act {
		a := agent
		change(&a)
		return a
	}
	person := with(func(a *Act) { a.Person, a.Actor, a.Door = true, "mira", "tui" })
	for _, c := range []struct {
		name string
		text string
		act  Act
		want Action
		line int
	}{
		{"no rule allows", "", agent, Allow, 0},
		{"the first rule decides", "deny\nallow", agent, Deny, 1},
		{"later rules count if the first doesn't match", "deny actor:person\nhold", agent, Hold, 2},
		{"comments and empty lines are skipped", "# deny\n\n  hold # because", agent, Hold, 3},
		{"all conditions must hold", "deny actor:agent verb:delete\nhold", agent, Hold, 2},
		{"one of several values is enough", "deny verb:delete,edit", agent, Deny, 1},
		{"a person is no agent", "deny actor:agent", person, Allow, 0},
		{"a person is a person", "deny actor:person", person, Deny, 1},
		{"a name is an actor", "deny actor:mira", person, Deny, 1},
		{"a name without the version", "deny actor:claude-code", with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Deny, 1},
		{"a name with the version", `deny actor:"claude-code 2.0.14"`, with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Deny, 1},
		{"a name with another version", `deny actor:"claude-code 2.0.15"`, with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Allow, 0},
		{"a title", `deny actor:"Claude Code"`, with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Deny, 1},
		{"a title that the client sent", `deny actor:codex`, with(func(a *Act) { a.Actor, a.Title = "codex-mcp-client 0.1", "Codex 0.1" }), Deny, 1},
		{"the title of a name that a protocol has", `deny actor:codex`, with(func(a *Act) { a.Actor = "codex-mcp-client 0.1" }), Deny, 1},
		{"a title and the subagent", `deny actor:"Gemini CLI"`, with(func(a *Act) { a.Actor = "gemini/reviewer" }), Deny, 1},
		{"a title with the version", `deny actor:"codex 0.1"`, with(func(a *Act) { a.Actor = "codex-mcp-client 0.1" }), Deny, 1},
		{"an agent and its subagents", "deny actor:claude-code", with(func(a *Act) { a.Actor = "claude-code/reviewer" }), Deny, 1},
		{"a pattern of names", "deny actor:claude*", with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Deny, 1},
		{"the beginning of a name is no name", "deny actor:claude", with(func(a *Act) { a.Actor = "claude-code 2.0.14" }), Allow, 0},
		{"nobody has no name", "deny actor:*", with(func(a *Act) { a.Actor = "" }), Allow, 0},
		{"several names in quotes", `deny actor:"one, two","Claude Code" verb:edit`, agent, Deny, 1},
		{"a path in quotes", `deny path:"/my notes"`, with(func(a *Act) { a.Paths = []string{"/my notes/a.md"} }), Deny, 1},
		{"a door", "deny door:tui", person, Deny, 1},
		{"a file", "deny path:/notes/a.md", agent, Deny, 1},
		{"a folder and what is in it", "deny path:/notes", agent, Deny, 1},
		{"a folder is not the beginning of a name", "deny path:/not", agent, Allow, 0},
		{"the root is everything", "deny path:/", agent, Deny, 1},
		{"a pattern of one name", "deny path:/*/a.??", agent, Deny, 1},
		{"a star stays within a name", "deny path:/*.md", agent, Allow, 0},
		{"two stars are any number of names", "deny path:/**/a.md", agent, Deny, 1},
		{"also none", "deny path:/notes/**/a.md", agent, Deny, 1},
		{"the path before a rename counts too", "deny path:/old", with(func(a *Act) { a.Paths = []string{"/notes/b.md", "/old/b.md"} }), Deny, 1},
		{"after nothing", "hold after:any", agent, Allow, 0},
		{"after something", "hold after:any", with(func(a *Act) { a.After = []string{"web"} }), Hold, 1},
		{"after one kind", "hold after:shell,web", with(func(a *Act) { a.After = []string{"web"} }), Hold, 1},
		{"after another kind", "hold after:shell", with(func(a *Act) { a.After = []string{"web"} }), Allow, 0},
		{"a finding", "deny finding:secret", with(func(a *Act) { a.Findings = []string{"link", "secret"} }), Deny, 1},
		{"no finding", "deny finding:any", agent, Allow, 0},
		{"Windows line ends", "deny actor:person\r\nhold\r\n", agent, Hold, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got, rule := p.Decide(c.act)
			if got != c.want || rule.Line != c.line {
				t.Errorf("%v by line %d, want %v by line %d", got, rule.Line, c.want, c.line)
			}
		})
	}
}

func TestParse_SaysWhereAnErrorIs(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
	}{
		{"allow\nforbid", 2, 1},
		{"  forbid", 1, 3},
		{"hold actor", 1, 6},
		{"hold who:agent", 1, 6},
		{"hold actor:", 1, 12},
		{"hold verb:edit,,delete", 1, 16},
		{"hold ä:b", 1, 6},
		{"hold actor:änne verb:x", 1, 22},
		{"hold verb:edit,erase", 1, 16},
		{`hold actor:"a b",ä verb:x`, 1, 25},
		{`hold actor:"a b`, 1, 15},
		{"hold path:notes", 1, 11},
		{"hold path:/a/../b", 1, 11},
		{"hold path:/a[", 1, 11},
		{"hold after:internet", 1, 12},
	} {
		_, err := Parse(c.text)
		var bad *SyntaxError
		if !errors.As(err, &bad) || bad.Line != c.line || bad.Column != c.column {
			t.Errorf("%q: %v, want line %d, column %d", c.text, err, c.line, c.column)
		}
	}
}

func TestPresets_AreValidAndDistinct(t *testing.T) {
	for _, p := range Presets {
		if p.Parsed().String() != p.Text || NameOf(p.Text) != p.Name {
			t.Errorf("%s", p.Name)
		}
	}
	read := Act{Verb: "edit", Paths: []string{"/a"}, Door: "mcp"}
	web := read
	web.After = []string{"web"}
	secret := web
	secret.Findings = []string{"secret"}
	person := secret
	person.Person = true
	for name, want := range map[string][]Action{
		"open": {Allow, Allow, Allow, Allow}, "careful": {Allow, Hold, Deny, Allow}, "review": {Hold, Hold, Hold, Allow},
	} {
		preset, _ := ByName(name)
		var got []Action
		for _, a := range []Act{read, web, secret, person} {
			action, _ := preset.Parsed().Decide(a)
			got = append(got, action)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s decides %v, want %v", name, got, want)
		}
	}
}

func TestAsks(t *testing.T) {
	p, err := Parse("deny finding:secret\nallow")
	if err != nil || !p.Asks("finding") || p.Asks("after") {
		t.Errorf("%v %v %v", p.Asks("finding"), p.Asks("after"), err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("deny actor:agent path:/a/**,/b # no\nallow")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			var bad *SyntaxError
			if !errors.As(err, &bad) || bad.Line < 1 || bad.Column < 1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		p.Decide(Act{Verb: "edit", Paths: []string{"/a/b"}})
	})
}

func TestAgentsHaveTheirOfficialTitles(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "Claude Code", "claude-code 2.1.330": "Claude Code 2.1.330", "claude-code/reviewer": "Claude Code/reviewer",
		"codex": "Codex", "codex-mcp-client 0.169.0": "Codex 0.169.0", "gemini-cli": "Gemini CLI", "gemini-cli-mcp-client 0.61.0": "Gemini CLI 0.61.0",
		"opencode 1.18.33": "OpenCode 1.18.33", "": "", "agent": "agent", "codexes": "codexes", "my claude-code": "my claude-code", "claimed:codex": "claimed:codex",
	} {
		if got := Titled(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}
