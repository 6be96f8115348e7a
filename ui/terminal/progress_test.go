package terminal

import "testing"

func TestTakesProgress_OnlyForKnownTerminals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "xterm-ghostty"}, true},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TERM": "tmux-256color", "TMUX": "/x"}, false},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.14"}, false},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.1"}, true},
		{map[string]string{"TERM_PROGRAM": "iTerm.app"}, false},
		{map[string]string{"VTE_VERSION": "7600"}, false},
		{map[string]string{"VTE_VERSION": "8001"}, true},
		{map[string]string{"WT_SESSION": "1"}, true},
		{map[string]string{"ConEmuANSI": "ON"}, true},
		{map[string]string{"WT_SESSION": "1", "TERM": "screen-256color"}, false},
	} {
		if got := TakesProgress(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
