package wording

import (
	"errors"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
)

func TestSynced_SaysWhatWasDone(t *testing.T) {
	for want, r := range map[string]gitsync.Result{
		"nothing new": {},
		"pushed":      {Pushed: true},
		"took in 3 changes, sent 2 changes, 1 waits in the review queue": {Imported: 2, Taken: make([]versions.Change, 1), Sent: 2, Held: []int64{4}, Queue: []int64{4}, Pushed: true},
		"2 wait in the review queue, 1 goes out after the review":        {Held: []int64{4, 5}, Queue: []int64{4, 5}, Waiting: 1},
		"nothing new, 1 waits in the review queue":                       {Queue: []int64{4}},
		"pushed, 2 wait in the review queue":                             {Queue: []int64{4, 5}, Pushed: true},
		"sent 1 change, not pushed, 1 waits in the review queue":         {Sent: 1, Queue: []int64{4}},
		"sent 1 change, not pushed":                                      {Sent: 1},
	} {
		if got := Synced(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUnsynced_SaysWhatASyncWouldDo(t *testing.T) {
	for want, b := range map[string]versions.BranchState{
		"": {}, "2 to send": {ToSend: 2}, "1 to take in": {Comes: 1}, "2 to send, 1 to take in": {ToSend: 2, Comes: 1},
		"1 to send after the review": {Delayed: 1}, "2 to send, 1 to send after the review, 1 to take in": {ToSend: 2, Delayed: 1, Comes: 1},
	} {
		if got := Unsynced(b); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Only after a redaction a rewrite keeps the rest. No question shows a password.
func TestAskRewrite_SaysWhatIsLost(t *testing.T) {
	b := versions.Branch{URL: "https://ann:secret@host/team.git", Name: "main"}
	if q := AskRewrite(b, "notes"); q != "Replace branch main of https://ann:xxxxx@host/team.git with the content of store notes? Commits that exist only in the branch are lost." {
		t.Error(q)
	}
	b.Erased = true
	if q := AskRewrite(b, "notes"); !strings.Contains(q, "Everything else in it stays.") || strings.Contains(q, "lost") {
		t.Error(q)
	}
}

func TestBranchHint_SaysWhatToDo(t *testing.T) {
	for err, want := range map[error]string{
		&gitsync.RewrittenError{}: "--rewrite", &gitsync.MovedError{}: "--push", &gitsync.MovedError{Rewrite: true}: "who pushed", &gitsync.ErasedError{}: "--rewrite", &gitsync.UnrelatedError{}: "stores create",
		&gitsync.NoBranchError{}: "ls-remote", &git.CommandError{}: "ls-remote", gitsync.ErrURL: "https://", git.ErrNone: "install", git.ErrUnsound: "fsck",
		&gitsync.RefusedError{Why: "branch is checked out"}: "--bare", &gitsync.RefusedError{Why: "declined"}: "wait here",
	} {
		if got := BranchHint(err); !strings.Contains(got, want) {
			t.Errorf("%T: %q", err, got)
		}
	}
	if got := BranchHint(errors.New("something else")); got != "" {
		t.Error(got)
	}
}
