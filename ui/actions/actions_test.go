package actions

import (
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

func TestName_SaysWhatAChangeDid(t *testing.T) {
	for want, c := range map[string]versions.Change{
		"#5: edited /a.md": {Number: 5, Kind: versions.KindEdit, Path: screentest.Path("/a.md"), Versions: 1},
		"#3: renamed /reference → /ref2 (4 memories)": {Number: 3, Kind: versions.KindRename, Path: screentest.Path("/reference"), To: screentest.Path("/ref2"), Versions: 4},
		"#7: deleted 2 memories":                      {Number: 7, Kind: versions.KindDelete, Versions: 2},
		"#8: undid #7":                                {Number: 8, Kind: versions.KindUndo, Undoes: 7},
	} {
		if got := name(c); got != want {
			t.Errorf("a change is named %q, want %q", got, want)
		}
	}
}

func TestCopy_RefusesTextTooLongForATerminal(t *testing.T) {
	env := screentest.Env(t.Context())
	r := New(env, nil, versions.By{}, nil, &editor.Clipboard{}, nil)
	r.Copy(screen.Copy{What: "the text", Text: strings.Repeat("x", maxCopied+1)})
	asked := screentest.Requests(env)
	if note, ok := asked[0].(screen.Notice); !ok || len(asked) != 1 || !strings.Contains(note.Text, "too much for the terminal's clipboard, at most 1.0M") {
		t.Errorf("one byte too much: %v", asked)
	}
	r.Copy(screen.Copy{What: "the text", Text: strings.Repeat("x", maxCopied)})
	asked = screentest.Requests(env)
	if _, ok := asked[len(asked)-1].(screen.Terminal); !ok {
		t.Errorf("one byte less was refused too: %v", asked)
	}
}

func TestRestore_AsksWhatToRestore(t *testing.T) {
	path := screentest.Path("/dir/a.md")
	at := versions.Moment{Change: 51, Time: time.Date(2026, 11, 20, 12, 10, 0, 0, time.UTC)}
	for want, req := range map[string]screen.AskRestore{
		"v:the text of v3 of /dir/a.md m:/dir/a.md as of #51 f:/dir/ e:everything n:nothing": {At: at, Path: path, Version: versions.Version{ID: "memver_x", Number: 3, Path: path}},
		"m:/dir/a.md as of #51 f:/dir/ e:everything n:nothing":                               {At: at, Path: path},
		"f:/dir/ e:everything n:nothing":                                                     {At: at, Path: path.Dir(), Folder: true},
		"e:everything n:nothing":                                                             {At: at},
	} {
		env := screentest.Env(t.Context())
		New(env, nil, versions.By{}, nil, &editor.Clipboard{}, nil).AskRestore(req)
		asked := screentest.Requests(env)[0].(screen.Choose)
		var got []string
		for _, o := range asked.Options {
			got = append(got, o.Key+":"+o.Label)
		}
		if strings.Join(got, " ") != want || asked.Text != "Restore what to #51 (2026-11-20 12:10)? Undo reverts it." {
			t.Errorf("it asks %q with %q", asked.Text, got)
		}
	}
}
