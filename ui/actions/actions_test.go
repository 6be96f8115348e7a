package actions

import (
	"strings"
	"testing"

	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/screentest"
	"github.com/memend/memend/versions"
)

func TestRedo_OfSeveralChangesNamesNone(t *testing.T) {
	for undoes, want := range map[int64]string{7: "change #7", 0: "all that was undone together"} {
		if got := redone(versions.Change{Kind: versions.KindRedo, Undoes: undoes}); got != want {
			t.Errorf("a redo of %d brought back %q, want %q", undoes, got, want)
		}
	}
}

func TestCopy_RefusesTextTooLongForATerminal(t *testing.T) {
	env := screentest.Env(t.Context())
	r := New(env, nil, versions.By{}, false, nil, &editor.Clipboard{})
	r.Update(screen.Copy{What: "the text", Text: strings.Repeat("x", maxCopied+1)})
	asked := screentest.Requests(env)
	if note, ok := asked[0].(screen.Notice); !ok || len(asked) != 1 || !strings.Contains(note.Text, "too much for the terminal's clipboard, at most 1.0M") {
		t.Errorf("one byte too much: %v", asked)
	}
	r.Update(screen.Copy{What: "the text", Text: strings.Repeat("x", maxCopied)})
	asked = screentest.Requests(env)
	if _, ok := asked[len(asked)-1].(screen.Terminal); !ok {
		t.Errorf("one byte less was refused too: %v", asked)
	}
}
