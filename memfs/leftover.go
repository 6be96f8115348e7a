package memfs

import "strings"

// leftovers are the names of files that programs leave beside a text for their own use. They are no memories: an agent
// would read an old or half a text as one. Hidden ones, such as Vim's .a.md.swp, are left out as all hidden files are.
var leftovers = []struct {
	is  func(name string) bool
	why string
}{
	{func(n string) bool { return strings.HasSuffix(n, "~") }, "a backup by an editor"},
	{func(n string) bool { return len(n) > 2 && n[0] == '#' && n[len(n)-1] == '#' }, "Emacs's copy of an unsaved text"},
	{func(n string) bool { return n == "4913" }, "Vim's test of the folder"},
	{func(n string) bool { return strings.Contains(n, ".sync-conflict-") }, "a conflict copy by Syncthing"},
	{func(n string) bool { return strings.Contains(n, "conflicted copy") && strings.Contains(n, "(") }, "a conflict copy by a synchronized folder"}, // Dropbox, Nextcloud, ownCloud
}

// Leftover returns why a file with this name is no memory, if another program wrote it; else "". What memend itself
// writes there is a memory.
func Leftover(name string) (why string) {
	for _, l := range leftovers {
		if l.is(name) {
			return l.why
		}
	}
	return ""
}
