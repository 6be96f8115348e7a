package keys

import "strings"

var labels = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "PgDn", "pgup": "PgUp",
	"enter": "Enter", "space": "Space", "esc": "Esc", "home": "Home", "end": "End", "tab": "Tab",
	"delete": "Delete", "backspace": "Backspace", "insert": "Insert",
}

// Label formats a sequence for hints and help: "^R", "Shift+Tab", "gg".
func Label(seq string) string {
	keys := strings.Fields(seq)
	for i, k := range keys {
		keys[i] = label(k)
	}
	short := true
	for _, k := range keys {
		short = short && len([]rune(k)) == 1
	}
	if short {
		return strings.Join(keys, "")
	}
	return strings.Join(keys, " ")
}

func label(k string) string {
	if l, ok := labels[k]; ok {
		return l
	}
	rest, ctrl := strings.CutPrefix(k, "ctrl+")
	if ctrl && len(rest) == 1 {
		return "^" + strings.ToUpper(rest)
	}
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if rest, ok := strings.CutPrefix(k, mod); ok {
			return strings.ToUpper(mod[:1]) + mod[1:] + label(rest)
		}
	}
	if len(k) > 1 && k[0] == 'f' && strings.Trim(k[1:], "0123456789") == "" {
		return strings.ToUpper(k)
	}
	return k
}
