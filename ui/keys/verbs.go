package keys

// verb is an action that several maps have. It has the same keys everywhere, and is bound
// once; a map may give it a name of its own.
type verb struct {
	name string
	keys []string
}

var verbs = map[string]verb{
	"move.down":      {"down", []string{"j", "down"}},
	"move.up":        {"up", []string{"k", "up"}},
	"move.page-down": {"page down", []string{"pgdown", "ctrl+f"}},
	"move.page-up":   {"page up", []string{"pgup", "ctrl+b"}},
	"move.half-down": {"half a page down", []string{"ctrl+d"}},
	"move.half-up":   {"half a page up", []string{"ctrl+u"}},
	"move.top":       {"to the top", []string{"g g", "home"}},
	"move.bottom":    {"to the bottom", []string{"G", "end"}},
	"move.right":     {"scroll right", []string{"l", "right"}},
	"move.left":      {"scroll left", []string{"h", "left"}},

	"list.open":            {"open", []string{"enter"}},
	"list.in":              {"to what is beside or below it", []string{"l", "right"}},
	"list.out":             {"back to the list, or up", []string{"h", "left"}},
	"list.next":            {"next change, hunk, call or session", []string{"]"}},
	"list.previous":        {"previous change, hunk, call or session", []string{"["}},
	"list.next-memory":     {"next memory", []string{"J"}},
	"list.previous-memory": {"previous memory", []string{"K"}},
	"list.filter":          {"filter", []string{"/"}},
	"list.choose":          {"choose", []string{"space"}},
	"list.choose-all":      {"choose all, or none", []string{"ctrl+a"}},
	"list.range":           {"choose a range", []string{"V"}},
	"list.range-down":      {"choose down", []string{"shift+down"}},
	"list.range-up":        {"choose up", []string{"shift+up"}},
	"list.fold-all":        {"fold all", []string{"_"}},
	"list.unfold-all":      {"unfold all", []string{"="}},
	"list.follow":          {"follow what comes", []string{"F"}},
	"list.new":             {"make one", []string{"n"}},
	"list.rename":          {"rename", []string{"r", "f2"}},

	"text.find":         {"find", []string{"/"}},
	"text.next-hit":     {"next hit", []string{"n"}},
	"text.previous-hit": {"previous hit", []string{"N"}},
	"text.wrap":         {"wrap long lines, or not", []string{"w"}},

	"change.open":         {"open the memory", []string{"o"}},
	"change.version":      {"its version", []string{"v"}},
	"change.timeline":     {"timeline at this change", []string{"t"}},
	"change.blame":        {"who wrote each line", []string{"B"}},
	"change.edit":         {"edit", []string{"e"}},
	"change.apply":        {"apply, or save", []string{"a", "ctrl+s"}},
	"change.reject":       {"reject", []string{"-"}},
	"change.undo":         {"undo", []string{"u"}},
	"change.undo-session": {"undo the session", []string{"U"}},
	"change.restore":      {"restore", []string{"R"}},
	"change.redact":       {"redact", []string{"X"}},
	"change.reviewed":     {"keep, and go on", []string{"."}},
	"change.reviewed-all": {"keep all", []string{">"}},

	"conflict.now":        {"now", []string{"n"}},
	"conflict.before":     {"before", []string{"b"}},
	"conflict.all-now":    {"now for all that are left", []string{"N"}},
	"conflict.all-before": {"before for all that are left", []string{"B"}},
	"conflict.next":       {"next conflict", []string{"tab"}},
	"conflict.previous":   {"previous conflict", []string{"shift+tab"}},

	"copy.path": {"copy the path", []string{"y p"}},
	"copy.text": {"copy the text", []string{"y y"}},
	"copy.id":   {"copy the id", []string{"y i"}},
	"copy.diff": {"copy the diff", []string{"y d"}},

	"selection.other-end": {"other end", []string{"o"}},

	"pane.back":   {"back", []string{"esc"}},
	"screen.back": {"back", []string{"esc", "q"}},

	"field.accept": {"accept what is typed", []string{"enter"}},
	"field.leave":  {"leave", []string{"esc", "ctrl+c"}},
	"field.down":   {"down", []string{"down", "ctrl+n"}},
	"field.up":     {"up", []string{"up", "ctrl+p"}},

	"store.sync": {"sync", []string{"f5"}},

	"agent.prompt": {"write a prompt, or resume", []string{"i"}},
	"agent.stop":   {"stop the agent", []string{"x"}},
}
