package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// environment is where the home and the settings are: what the flags say, and otherwise
// the environment's variables.
type environment struct {
	home      string
	config    string
	overrides overrides
}

// invocation is the store that a command works on, and who runs it, as the flags say.
type invocation struct {
	store   string
	makes   bool // the command may create a store for a folder named by -s
	session string
	actor   string
	filters bool // --actor and --session say what is listed, not who runs the command

	// me is the actor and session of the program. They differ from the flags in commands
	// where --actor and --session are filters, and in line mode.
	me struct {
		actor, session string
		typed          bool // a person types the command's input
	}
}

// A caller is who runs a command, and the console that reaches them.
type caller struct {
	console
	by versions.By
}

// A homeOpener opens memend's home.
type homeOpener struct {
	caller
	environment
	creates bool                          // the home may be created; without it, one that doesn't exist stays as it is
	fault   func(value any, stack []byte) // called on a panic in a goroutine of the trail
}

// A storeOpener opens the store that a command works on.
type storeOpener struct {
	homeOpener
	invocation
}

// homeFolder returns memend's home: from the flag, the environment, or the platform's data
// folder.
func (p *environment) homeFolder() (string, error) {
	if p.home != "" {
		return p.home, nil
	}
	if home := os.Getenv("MEMEND_HOME"); home != "" {
		return home, nil
	}
	return platformHome(os.Getenv)
}

// platformHome returns the default home.
func platformHome(getenv func(string) string) (string, error) {
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "memend"), nil
	}
	if local := getenv("LocalAppData"); runtime.GOOS == "windows" && local != "" {
		return filepath.Join(local, "memend"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &hinted{fmt.Errorf("find a place for memend's data: %w", err), "name one with --home or $MEMEND_HOME"}
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "memend"), nil
	}
	return filepath.Join(home, ".local", "share", "memend"), nil
}

func (p *homeOpener) openTrail(ctx context.Context) (*engine.Trail, error) {
	home, err := p.homeFolder()
	if err != nil {
		return nil, err
	}
	ctx, end := p.withProgress(ctx, "") // of a conversion
	defer end()
	return engine.Open(ctx, home, versions.Options{Fault: p.fault, Upstream: hosted.Dial, Look: !p.creates, ReadOnly: p.overrides.readOnlySet && p.overrides.readOnly, Recall: transcripts{&p.environment}, Loss: p.loss, Now: p.now})
}

// loss returns the settings of mass deletions.
func (p *environment) loss() versions.Loss {
	conf, _ := config.Load(p.configOptions()) // other problems of the settings are reported elsewhere
	return conf.Loss
}

// transcripts reads the transcripts of Claude Code, unless the settings forbid it.
type transcripts struct{ p *environment }

func (r transcripts) past() (past outside.Past, ok bool) {
	if conf, _ := config.Load(r.p.configOptions()); !conf.Transcripts { // other problems of the settings are reported elsewhere
		return past, false
	}
	folder, err := outside.Config()
	home, _ := os.UserHomeDir()
	return outside.Past{Config: folder, Home: home}, err == nil
}

func (r transcripts) Texts(ctx context.Context, s versions.StoreInfo, asked []versions.Unexplained, first bool) ([]versions.Recalled, error) {
	if past, ok := r.past(); ok {
		return past.Texts(ctx, s, asked, first)
	}
	return nil, nil
}

func (r transcripts) Calls(ctx context.Context, s versions.StoreInfo, since time.Time) ([]versions.Evidence, error) {
	if past, ok := r.past(); ok {
		return past.Calls(ctx, s, since)
	}
	return nil, nil
}

// withTrail runs do with the trail of the home.
func (p *homeOpener) withTrail(ctx context.Context, do func(*engine.Trail) error) error {
	t, err := p.openTrail(ctx)
	if errors.Is(err, versions.ErrNoTrail) {
		home, _ := p.homeFolder()
		return &misuse{&noStoreHere{noHome: home}, ""}
	}
	if err != nil {
		return err
	}
	if p.by.Person() {
		if err := stores.TellParted(ctx, t, func(all []versions.Parted) { reportParted(&p.console, all) }); err != nil {
			return errors.Join(err, t.Close())
		}
	}
	return errors.Join(do(t), t.Close())
}

// reportParted says which stores are no replicas any more.
func reportParted(p *console, all []versions.Parted) {
	for _, s := range all {
		fmt.Fprintf(p.err, "memend: store %s is an ordinary store now, with its folder and its history: memend no longer connects stores to %s; `memend sync` shares a store through git\n",
			p.safe(s.Name), p.safe(s.URL))
	}
}

// withStore runs do with the store that the rule selects, after changes by other programs
// are adopted.
func (p *storeOpener) withStore(ctx context.Context, do func(*engine.Store) error) error {
	return p.withStoreUnsynced(ctx, synced(ctx, &p.console, do))
}

// withStoreUnsynced is withStore for commands that scan the folder themselves.
func (p *storeOpener) withStoreUnsynced(ctx context.Context, do func(*engine.Store) error) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		info, err := p.chooseStore(ctx, t)
		if err != nil {
			return err
		}
		return inStore(info, withOpen(ctx, t, info, do))
	})
}

// withPast is withStoreAt for commands that show only what the trail holds, with all paths if
// paths is nil. They need no folder: if it is gone, withPast says so and goes on.
func (p *storeOpener) withPast(ctx context.Context, paths func(*engine.Store) []memfs.Path, do func(*engine.Store) error) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		info, err := p.chooseStore(ctx, t)
		if err != nil {
			return err
		}
		return inStore(info, withOpenPast(ctx, &p.console, t, info, paths, do))
	})
}

// withOpenPast is withPast for a store that is known.
func withOpenPast(ctx context.Context, p *console, t *engine.Trail, info versions.StoreInfo, paths func(*engine.Store) []memfs.Path, do func(*engine.Store) error) error {
	s, err := t.OpenStore(ctx, info.ID)
	switch {
	case errors.Is(err, versions.ErrFolderGone):
		fmt.Fprintf(p.err, "memend: %s; its past can be read\n", p.safe(err.Error()))
		if s, err = t.OpenPast(ctx, info.ID); err == nil {
			err = errors.Join(do(s), s.Close())
		}
		return err
	case err != nil:
		return err
	}
	return errors.Join(syncedAt(ctx, p, paths, do)(s), s.Close())
}

// withStoreOrAny is withStore for what concerns all stores of the home: if the rule selects
// no store, any store that can be opened will do.
func (p *storeOpener) withStoreOrAny(ctx context.Context, do func(*engine.Store) error) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		info, err := p.chooseStore(ctx, t)
		var none *noStoreHere
		if !errors.As(err, &none) || len(none.all) == 0 {
			if err != nil {
				return err
			}
			return inStore(info, withOpen(ctx, t, info, synced(ctx, &p.console, do)))
		}
		for _, info := range none.all {
			opened := false
			err = withOpen(ctx, t, info, synced(ctx, &p.console, func(s *engine.Store) error { opened = true; return do(s) }))
			if opened {
				break
			}
		}
		return err
	})
}

// inStore adds the store to an error about something that it does not contain, because the
// store may not have been named.
func inStore(info versions.StoreInfo, err error) error {
	for _, none := range []error{versions.ErrNoMemory, memfs.ErrNotExist, versions.ErrNoVersion, versions.ErrNoChange, versions.ErrNoSession, conversations.ErrNotFound} {
		if errors.Is(err, none) {
			return fmt.Errorf("%w (store %s)", err, info.Name)
		}
	}
	return err
}

// withStoreAt is withStore for commands about particular memories: only these are scanned,
// so the cost does not depend on the size of the store. Without paths the whole folder is
// scanned.
func (p *storeOpener) withStoreAt(ctx context.Context, paths func(*engine.Store) []memfs.Path, do func(*engine.Store) error) error {
	return p.withStoreUnsynced(ctx, syncedAt(ctx, &p.console, paths, do))
}

// pathsOf returns the paths that arguments name, with or without lines or a version, or
// none if one of the arguments names something else.
func pathsOf(args ...string) func(*engine.Store) []memfs.Path {
	return func(s *engine.Store) (out []memfs.Path) {
		for _, arg := range args {
			if i := strings.LastIndexByte(arg, '@'); i > 0 {
				if n, err := strconv.Atoi(arg[i+1:]); err == nil && n > 0 {
					arg = arg[:i]
				}
			}
			for _, name := range namesIn(arg) {
				path, err := pathIn(s, name)
				if err != nil || path.IsRoot() {
					return nil
				}
				out = append(out, path)
			}
		}
		return out
	}
}

// namesIn returns the paths that PATH or PATH:LINES may mean, or none for an id or a
// number.
func namesIn(arg string) []string {
	for _, prefix := range []string{"memver_", "memver-", memoryPrefix, callPrefix} {
		if strings.HasPrefix(arg, prefix) {
			return nil
		}
	}
	if _, err := strconv.ParseInt(arg, 10, 64); err == nil {
		return nil
	}
	if rest, _, ok := cutLines(arg); ok {
		return []string{arg, rest}
	}
	return []string{arg}
}

// synced adopts, before do, what other programs did to a store and what the service of a
// hosted store has.
func synced(ctx context.Context, p *console, do func(*engine.Store) error) func(*engine.Store) error {
	return syncedAt(ctx, p, nil, do)
}

// syncedAt is synced for the memories at some paths, or for all if there are none.
func syncedAt(ctx context.Context, p *console, paths func(*engine.Store) []memfs.Path, do func(*engine.Store) error) func(*engine.Store) error {
	return func(s *engine.Store) (err error) {
		var at []memfs.Path
		if paths != nil {
			at = paths(s)
		}
		var report versions.SyncReport
		if len(at) == 0 {
			report, err = s.Sync(ctx)
		} else {
			report, err = s.SyncPaths(ctx, at...)
		}
		return afterScan(ctx, p, s, report, err, do)
	}
}

// afterScan runs do after a scan of the folder, which may have failed. If files may not be read, it says so at the end, and
// a command that shows something fails: what it shows of them may be old.
func afterScan(ctx context.Context, p *console, s *engine.Store, report versions.SyncReport, err error, do func(*engine.Store) error) error {
	if versions.IsUnwritable(err) {
		fmt.Fprintf(p.err, "memend: changes by other programs are not shown, because they can't be recorded: %s\n", p.safe(err.Error()))
	} else if err != nil {
		return err
	}
	if err := pullUpstream(ctx, p, s); err != nil {
		return err
	}
	err = do(s)
	if len(report.Denied) == 0 || errors.Is(err, memfs.ErrNoPermission) { // which was about one of them
		return err
	}
	reportDenied(p, report.Denied)
	if err == nil && !p.writes {
		err = errReported
	}
	return err
}

// maxDenied is how many files that may not be read are named.
const maxDenied = 5

func reportDenied(p *console, paths []memfs.Path) {
	names := toolPaths(paths[:min(len(paths), maxDenied)])
	if more := len(paths) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	fmt.Fprintf(p.err, "memend: %s: %v: the current content is unknown\n  hint: %s\n", p.safe(strings.Join(names, ", ")), memfs.ErrNoPermission, hint(memfs.ErrNoPermission))
}

// eachStore runs do for each store of the home. It reports a store whose folder can't be read, or about which do has
// reported something, and goes on; the command fails at the end.
func eachStore(ctx context.Context, p *console, t *engine.Trail, verb string, do func(versions.StoreInfo) error) error {
	all, err := t.Stores(ctx)
	for _, info := range all {
		failed := do(info)
		if errors.As(failed, new(*versions.FolderError)) {
			fmt.Fprintf(p.err, "memend: not %s: %s\n", verb, text.Field(failed.Error()))
			failed = errReported
		}
		if failed != nil {
			err = errReported
		}
		if failed != nil && !errors.Is(failed, errReported) {
			return failed
		}
	}
	return err
}

func withOpen(ctx context.Context, t *engine.Trail, info versions.StoreInfo, do func(*engine.Store) error) error {
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// identity returns who acts: the value of the flags, or else the given name.
func (p *invocation) identity(kind versions.ActorKind, name string) (versions.By, error) {
	actor, session := cmp.Or(p.actor, p.me.actor), cmp.Or(p.session, p.me.session)
	by := versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: kind, Name: name}, Session: versions.SessionID(session)}
	if session == "" {
		by.Session = versions.NewSession()
	}
	if actor == "" {
		return by, nil
	}
	by.Actor.Name = actor
	if k, n, ok := strings.Cut(actor, ":"); ok {
		by.Actor = versions.Actor{Kind: versions.ActorKind(k), Name: n}
	}
	switch by.Actor.Kind {
	case versions.Person, versions.Agent, versions.APIKey:
	default:
		return by, misusef("memend", "--actor %s: the kind must be person, agent or api_key", actor)
	}
	if by.Actor.Name == "" {
		return by, misusef("memend", "--actor %s: the name is missing", actor)
	}
	if by.Actor.Kind == versions.Person && !(kind == versions.Person && (by.Actor.Name == name || p.me.typed)) {
		by.Actor = versions.Actor{Kind: versions.Agent, Name: claimPrefix + by.Actor.Name}
	}
	return by, nil
}

// claimPrefix prefixes the name of a person that a program claims to be, so that a narrow
// column does not cut it off. Any program can claim it, so it is recorded as an agent and
// may do only what agents may.
const claimPrefix = "claimed:"

func isClaim(by versions.By) bool { return strings.HasPrefix(by.Actor.Name, claimPrefix) }

// person returns who acts in commands for people: the agent whose shell runs the command,
// or else a person with the login's name.
func (p *invocation) person() (versions.By, error) { return p.shellIdentity(versions.Person, login()) }

func login() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "somebody"
}
