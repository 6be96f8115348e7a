package ui

import "testing"

// What u undid in the queue, Ctrl+R does again, in the order in which it was undone, whether it changed a memory or not.
func TestRedo_MakesDecisionsAgain(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	text := "one\n2\n3\n4\n5\n6\n7\neight\n"
	q.writes(reviewer, "a.md", text)
	both := "ONE\n2\n3\n4\n5\n6\n7\nEIGHT\n"
	q.writes(robot, "a.md", both)
	press := func(keys, content string, want ...string) {
		t.Helper()
		q.keys(keys)
		q.arrives()
		q.shows(want...)
		if got := q.content("a.md"); got != content {
			t.Fatalf("after %s the memory is %q\n%s", keys, got, q.screen())
		}
	}
	undone := "ONE\n2\n3\n4\n5\n6\n7\neight\n"
	press("! l .", both, "kept 1 hunk of /a.md · u undoes that", "+ EIGHT")
	press("u", both, "undid your decision: kept 1 hunk of /a.md", "hunk 1 of 2")
	press("ctrl+r", both, "kept 1 hunk of /a.md · u undoes that", "+ EIGHT")
	q.hides("+ ONE")
	press("-", undone, "undid 1 hunk of /a.md")
	press("u", both, "undid your decision: undid 1 hunk of /a.md", "+ EIGHT")
	press("u", both, "undid your decision: kept 1 hunk of /a.md", "hunk 1 of 2")
	press("ctrl+r", both, "kept 1 hunk of /a.md · u undoes that", "+ EIGHT")
	press("ctrl+r", undone, "redid #", "Nothing waits for you")
	press("ctrl+r", undone, "nothing to redo: you undid nothing")
	press("u", both, "undid #", "+ EIGHT")
	press("u", both, "undid your decision: kept 1 hunk of /a.md", "hunk 1 of 2")

	press("]", both, "hunk 2 of 2")
	press(".", both, "kept 1 hunk of /a.md · u undoes that", "+ ONE") // a new decision
	press("ctrl+r", both, "nothing to redo: you undid nothing")
	press("u", both, "undid your decision: kept 1 hunk of /a.md")
	q.writes(reviewer, "mine.md", "mine\n") // a change
	press("ctrl+r", both, "nothing to redo: you undid nothing")
}

// What is to be decided of a memory may have changed since its decision was undone.
func TestRedo_DecidesNothingThatChangedSince(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "safe.md", "a safe line\nmore\n")
	q.keys("! . u")
	q.writes(robot, "safe.md", "a safe line\nmore\nand more\n")
	q.keys("ctrl+r")
	q.shows("/safe.md changed since it was shown: shown again", "● 1 to review")
	q.keys("ctrl+r")
	q.shows("nothing to redo: you undid nothing")
}

// What was not done here, or before what can't be undone, is named and asked about.
func TestUndo_AsksBeforeItUndoesWhatIsNotTheLastThingDoneHere(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(reviewer, "mine.md", "mine\n")
	elsewhere := reviewer
	elsewhere.Session = "sesn_shell"
	q.writes(elsewhere, "shell.md", "mine\n")
	q.keys("u")
	q.shows("You did not make your newest change here: ", ": created /shell.md", "Undo it?")
	q.keys("enter u")
	if got := q.content("shell.md"); got != "mine\n" {
		t.Fatalf("the memory is %q", got)
	}
	q.keys("y")
	q.arrives()
	if q.content("shell.md") != "no memory" || q.content("mine.md") != "mine\n" {
		t.Fatalf("the memories are %q and %q", q.content("shell.md"), q.content("mine.md"))
	}
	q.on("a.md").keys(".")
	q.writes(reviewer, "mine.md", "more\n")
	q.policy("review")
	q.held(robot, "safe.md", "a safe line\nmore\n")
	q.keys("! - n o enter u")
	q.shows("rejected #1: that can't be undone")
	q.keys("u")
	q.shows("What you did last can't be undone. Before it: ", ": edited /mine.md", "Undo it?")
	q.keys("y")
	q.arrives()
	if got := q.content("mine.md"); got != "mine\n" {
		t.Fatalf("the memory is %q", got)
	}
	q.keys("u")
	q.shows("What you did last can't be undone. Before it: kept /a.md", "Undo that?")
	q.keys("n u y")
	q.shows("undid your decision: kept /a.md")
	q.writes(reviewer, "mine.md", "new\n")
	q.keys("u")
	q.arrives()
	if got := q.content("mine.md"); got != "mine\n" {
		t.Fatalf("the memory is %q", got)
	}
}
