package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/mcp"
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/engine"
)

func doctorCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "doctor",
		Annotations: map[string]string{overview: "find problems"},
		Short:       "Check the setup, and suggest fixes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDoctor(cmd.Context(), &p.homeOpener, machine{writable, freeBytes, fileSystem, maxWatches, watches})
		},
	}
}

// finding is one line of the report.
type finding struct {
	Level string `json:"level"` // ok, note or wrong
	About string `json:"about"` // you, home, disk, limits, store, client
	Name  string `json:"name,omitempty"`
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

const levelOK, levelNote, levelWrong = "ok", "note", "wrong"

// findings are the lines in order.
type findings []finding

func (f *findings) add(level, about, name, hint, format string, args ...any) {
	*f = append(*f, finding{level, about, name, fmt.Sprintf(format, args...), hint})
}

func (f findings) wrong() bool {
	return slices.ContainsFunc(f, func(x finding) bool { return x.Level == levelWrong })
}

// machine holds the queries that doctor makes to the system.
type machine struct {
	writable   func(dir string) error                      // returns why a folder is not writable
	freeBytes  func(dir string) (int64, bool)              // false if unknown
	fileSystem func(dir string) (kind string, remote bool) // remote if another machine may hold it
	maxWatches func() (int, bool)                          // false if there is no limit
	watches    func() error                                // returns why no folder can be watched
}

func watches() error {
	w, err := disk.NewWatch()
	if err != nil {
		return err
	}
	return w.Close()
}

func runDoctor(ctx context.Context, p *homeOpener, m machine) error {
	home, err := p.homeFolder()
	if err == nil {
		home, err = filepath.Abs(home)
	}
	if err != nil {
		return err
	}
	var f findings
	checkRunner(&f)
	checkHome(&f, home, m)
	stores, known := checkStores(ctx, p, &f, m)
	if err := checkClients(ctx, &f, home, stores, known); err != nil {
		return err
	}
	for _, x := range f {
		if p.json {
			p.emit(x)
			continue
		}
		name := x.About
		if x.Name != "" {
			name += " " + x.Name
		}
		p.println("%-5s  %s: %s", x.Level, p.safe(name), p.safe(x.Text))
		if x.Hint != "" {
			p.println("         %s", p.safe(x.Hint))
		}
	}
	if f.wrong() {
		return errReported
	}
	return nil
}

// checkRunner reports whom this program takes for who runs it.
func checkRunner(f *findings) {
	const may = "policy, review, pin and redact"
	switch r, ok := runningAgent(); {
	case ok:
		f.add(levelNote, "you", "", "run it in a terminal that no agent started", "%s runs this command (%s): it may not use %s", r.agent, r.how, may)
	case !System.Foreground():
		f.add(levelOK, "you", "", "", "no known agent runs this command; without a terminal it may not use %s", may)
	default:
		f.add(levelOK, "you", "", "", "a person at a terminal: no known agent runs this command, and it may use %s", may)
	}
}

// minFreeBytes is the free space below which doctor warns: a trail that can't grow refuses
// writes.
const minFreeBytes = 200 << 20

// checkHome checks the home's folder, its files and its disk.
func checkHome(f *findings, home string, m machine) {
	usual, err := platformHome(os.Getenv)
	if _, terr := os.Stat(filepath.Join(usual, "trail.db")); err == nil && terr == nil && usual != home {
		f.add(levelNote, "home", "", "`memend --home "+shellWord(usual)+" stores` lists its stores", "another home exists in %s; its stores are not listed here", usual)
	}
	fi, err := os.Stat(home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.add(levelNote, "home", "", "", "%s does not exist yet; the first write creates it", home)
		return
	case err != nil:
		f.add(levelWrong, "home", "", "", "%v", err)
		return
	case !fi.IsDir():
		f.add(levelWrong, "home", "", "name another one with --home", "%s is not a folder", home)
		return
	}
	open := len(*f)
	if runtime.GOOS != "windows" {
		for _, name := range []string{"", "trail.db", "token", "tokens", "log"} {
			file := filepath.Join(home, name)
			if fi, err := os.Stat(file); err == nil && fi.Mode().Perm()&0o077 != 0 {
				f.add(levelWrong, "home", "", "chmod go-rwx "+shellWord(file), "other users can access %s (mode %04o)", file, fi.Mode().Perm())
			}
		}
	}
	if err := m.writable(home); err != nil {
		f.add(levelWrong, "home", "", "make it writable, or name another home with --home", "%v", err)
	}
	if kind, remote := m.fileSystem(home); remote {
		f.add(levelWrong, "home", "", "move it to a local disk: `memend backup`, then `memend --home DIR backup --restore`", "%s is on a network file system (%s), where locks and the database can't be relied on", home, kind)
	}
	if free, ok := m.freeBytes(home); ok && free < minFreeBytes {
		f.add(levelWrong, "disk", "", "free some space", "only %s are free on the disk of %s", units.Bytes(free), home)
	} else if ok {
		f.add(levelOK, "disk", "", "", "%s are free", units.Bytes(free))
	}
	if !(*f)[open:].wrong() {
		f.add(levelOK, "home", "", "", "%s", home)
	}
}

// writable returns why a folder is not writable, or nil.
func writable(dir string) error {
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// checkStores checks what the trail has, if there is one, and returns the stores as far as they are known.
func checkStores(ctx context.Context, p *homeOpener, f *findings, m machine) (all []versions.StoreInfo, known bool) {
	if !p.hasTrail() {
		return nil, true
	}
	t, err := p.openTrail(ctx)
	if err == nil {
		defer func() { _ = t.Close() }()
		all, err = t.Stores(ctx)
	}
	if known = err == nil; known {
		err = checkTrail(ctx, f, t, all, m)
	}
	if err != nil {
		f.add(levelWrong, "trail", "", hint(err), "%v", err)
	}
	return all, known
}

// checkTrail checks the trail, the folders of the stores, and whether the system allows
// enough watches for them.
func checkTrail(ctx context.Context, f *findings, t *engine.Trail, all []versions.StoreInfo, m machine) error {
	damaged, err := check.Home(ctx, t)
	if err != nil {
		return err
	}
	f.problems("trail", "", repairHint, damaged)
	damage := len(damaged)
	for _, s := range all {
		damage += checkStore(ctx, f, t, s)
	}
	if damage == 0 {
		f.add(levelOK, "trail", "", "", "%s", plural(len(all), "store"))
	}
	watched := 0
	for _, s := range all {
		if s.Folder == "" || !s.Archived.IsZero() || !isDir(s.Folder) {
			continue
		}
		if kind, remote := m.fileSystem(s.Folder); remote {
			f.add(levelNote, "store", s.Name, "", "%s is on a network file system (%s): changes by other machines are found at the next scan, not at once", s.Folder, kind)
		}
		watched += folders(s.Folder)
	}
	if err := m.watches(); err != nil {
		fix := ""
		if errors.Is(err, syscall.EMFILE) {
			fix = "end what watches folders, or sudo sysctl fs.inotify.max_user_instances=1024"
		}
		f.add(levelWrong, "limits", "", fix, "no folder can be watched, so changes by other programs are found by scans, not at once: %v", err)
	}
	if most, ok := m.maxWatches(); ok {
		level, fix := levelOK, ""
		if watched > most*8/10 {
			level, fix = levelWrong, "sudo sysctl fs.inotify.max_user_watches=524288"
		}
		f.add(level, "limits", "", fix, "%s to watch; the system allows this user %d (fs.inotify.max_user_watches)", plural(watched, "folder"), most)
	}
	return nil
}

// checkStore runs what `memend check` runs, and returns the number of problems of the trail.
func checkStore(ctx context.Context, f *findings, t *engine.Trail, info versions.StoreInfo) int {
	wrong := func(hint string, err error) {
		f.add(levelWrong, "store", info.Name, hint, "%s", strings.TrimPrefix(errorText(err), "store "+info.Name+": "))
	}
	var problems []string
	var report versions.SyncReport
	err := withOpen(ctx, t, info, func(s *engine.Store) (err error) {
		if report, err = s.Sync(ctx); versions.IsUnwritable(err) {
			wrong(hint(err), fmt.Errorf("changes by other programs can't be recorded: %w", err))
		} else if err != nil {
			return err
		}
		problems, _, err = check.Since(ctx, s, nil)
		return err
	})
	if err != nil {
		wrong(hint(err), err)
	}
	f.problems("store", info.Name, mendHint(len(problems), report, err), problems)
	if err != nil && !errors.As(err, new(*versions.FolderError)) { // otherwise the trail is well
		return len(problems) + 1
	}
	return len(problems)
}

// maxProblems is how many problems of a store, or of the trail, doctor lists.
const maxProblems = 3

// problems adds what a check found.
func (f *findings) problems(what, name, hint string, problems []string) {
	for i, problem := range problems {
		if i == maxProblems {
			all := "-s " + shellWord(name)
			if name == "" {
				all = "--all-stores"
			}
			f.add(levelWrong, what, name, "`memend check "+all+"` lists them", "%s", plural(len(problems)-i, "more problem"))
			break
		}
		f.add(levelWrong, what, name, hint, "%s", strings.TrimPrefix(problem, "store "+name+": "))
	}
}

// maxFolders limits the count: no system allows as many watches.
const maxFolders = 1 << 20

// folders counts the folders that a watcher of a store would watch.
func folders(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case path != dir && memfs.HiddenName(d.Name()):
			return fs.SkipDir
		}
		if n++; n > maxFolders {
			return fs.SkipAll
		}
		return nil
	})
	return n
}

// checkClients checks the configuration of agents' programs, and whether they have used
// it.
func checkClients(ctx context.Context, f *findings, home string, stores []versions.StoreInfo, known bool) error {
	at, err := clientPlaces()
	if err != nil {
		return err
	}
	note, noteErr := readHookNote(home, false)
	seen := lastSeen(filepath.Join(home, "log", "mcp.log"))
	found := false
	for _, s := range clientStates(at) {
		name, again := s.client.Name, "`memend setup "+s.client.Name
		if s.scope == clients.Project {
			name, again = name+" (project)", again+" --scope project"
		}
		if s.err != nil {
			f.add(levelWrong, "client", name, "fix the file: "+s.client.Title+" can't read it either", "%v", s.err)
			continue
		}
		if !s.isSetUp() {
			continue
		}
		found = true
		again += "` fixes it"
		if s.server != nil {
			checkMCPServer(f, name, again, home, s, seen)
		}
		checkHooks(f, name, again, home, s, note, noteErr == nil)
		if s.client.Name == claudeCode && len(s.lines) > 0 && known {
			checkMemories(ctx, f, name, stores)
		}
	}
	if !found {
		f.add(levelNote, "client", "", "`memend setup` lists the supported programs", "no agent's program is set up for you or for this folder")
	}
	return nil
}

// checkMCPServer checks the MCP server in a client's settings.
func checkMCPServer(f *findings, name, again, home string, s clientState, seen map[string]time.Time) {
	if s.server.URL == "" {
		if wrong := commandProblem(s.server.Command, s.server.Args, home); wrong != "" {
			f.add(levelWrong, "client", name, again, "its MCP server %s", wrong)
			return
		}
	}
	last := time.Time{}
	for client, at := range seen {
		if s.client.Is(client) && at.After(last) {
			last = at
		}
	}
	if last.IsZero() {
		f.add(levelNote, "client", name, "restart "+s.client.Title+": it reads its settings when it starts", "MCP is set up in %s, but the client has not connected yet", s.servers)
		return
	}
	f.add(levelOK, "client", name, "", "MCP is set up; the client last connected on %s", when(last))
}

// checkHooks checks the hooks in a client's settings.
func checkHooks(f *findings, name, again, home string, s clientState, note hookNote, noted bool) {
	if s.hooks == "" || len(s.lines) == 0 {
		if s.hooks != "" && s.scope == clients.User {
			f.add(levelNote, "client", name, "`memend setup "+s.client.Name+"` adds them", "its hooks are not set up: what it writes with its own tools is known only from its transcripts")
		}
		return
	}
	words := clients.Words(s.lines[0].Command)
	wanted := clients.Hooks(s.lines[0].Command)
	switch wrong := commandProblem(words[0], words[1:], home); {
	case wrong != "":
		f.add(levelWrong, "client", name, again, "its hook %s", wrong)
	case !slices.Equal(s.lines, wanted):
		f.add(levelWrong, "client", name, again, "its hooks in %s are those of another version", s.hooks)
	case !noted:
		f.add(levelNote, "client", name, "restart "+s.client.Title+": it reads its settings when it starts", "hooks are set up in %s, but none was called yet", s.hooks)
	default:
		f.add(levelOK, "client", name, "", "hooks are set up; the last call was on %s (%s)", when(note.At), strings.TrimSpace(note.Event+" "+note.Tool))
	}
}

// checkMemories reports which of Claude Code's own memories its hooks record: those of which there is a store.
func checkMemories(ctx context.Context, f *findings, name string, all []versions.StoreInfo) {
	roots, err := places.Here()
	if err != nil {
		f.add(levelNote, "client", name, "", "%v", err)
	}
	found, err := places.Discover(ctx, roots, all)
	if err != nil {
		f.add(levelNote, "client", name, "", "%v", err)
		return
	}
	ownMemory, ok := places.OwnMemory(ctx, roots, roots.Here, all)
	if ok && !slices.ContainsFunc(found.Places, func(x places.Place) bool { return x.Folder == ownMemory.Folder }) {
		found.Places = append(found.Places, ownMemory)
	}
	for _, x := range found.Places {
		if x.Kind != places.ClaudeAuto && x.Kind != places.ClaudeAgent {
			continue
		}
		switch in := cmp.Or(x.Store.Name, x.Within.Name); {
		case in != "":
			f.add(levelOK, "client", name, "", "recorded as it is written, in store %s: %s", in, x.Folder)
		case ok && x.Folder == ownMemory.Folder:
			f.add(levelNote, "client", name, "`memend setup "+claudeCode+" --yes` makes a store of it", "not recorded: %s, its memories of this project", x.Folder)
		case !x.IsEmpty():
			f.add(levelNote, "client", name, "`memend stores discover --add "+shellWord(x.Folder)+"` makes a store of it", "not recorded: %s (%s)", x.Folder, memoryCount(x))
		}
	}
}

// commandProblem returns what is wrong with a client's command: the program is missing, or it
// uses another home.
func commandProblem(command string, args []string, home string) string {
	if _, err := exec.LookPath(command); err != nil {
		return "can't be started: " + err.Error()
	}
	to, err := flagOf(args, "--home"), error(nil)
	if to == "" {
		to, err = defaultHome()
	}
	if err == nil && filepath.Clean(to) != home {
		return "uses another home: " + to
	}
	return ""
}

// flagOf returns the value of a flag in arguments, or "" without one.
func flagOf(args []string, flag string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// lastSeen returns when each client last connected, by the name that it sent over MCP.
func lastSeen(log string) map[string]time.Time {
	out := map[string]time.Time{}
	for _, file := range []string{log + ".old", log} {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			if !strings.Contains(line, mcp.Named) {
				continue
			}
			var at time.Time
			client := ""
			for _, word := range clients.Words(line) {
				if value, ok := strings.CutPrefix(word, "time="); ok {
					at, _ = time.Parse(time.RFC3339Nano, value)
				}
				if value, ok := strings.CutPrefix(word, "client="); ok {
					client = value
				}
			}
			if client != "" && !strings.HasPrefix(client, setupClient) {
				out[client] = at
			}
		}
	}
	return out
}
