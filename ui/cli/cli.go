package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memend/memend/ui"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/terminal"
)

// program is one run of memend.
type program struct {
	storeOpener
	tune func(*ui.Config) (restore func()) // sets the runtime for the TUI
	less func()                            // sets it for a command that reads a whole store
}

// Run runs the whole program and returns its exit code. Signals end it at once, as they end
// any program: acknowledged changes are on disk by then, and a change that was interrupted
// is completed or reverted when the store is next opened.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := newProgram(console{in: stdin, out: bufio.NewWriter(stdout), stdout: stdout, err: stderr, terminal: isTerminal(stdout), pages: true, now: time.Now})
	p.fault, p.me.typed, p.tune, p.less = terminal.Caught, isTerminal(stdin), tuneMemory, collectLess
	root := rootCommand(p)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout) // help and completions; everything else goes through p.out
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	err = endPager(&p.console, ofCommand(cmd, err))
	if err == nil {
		err = p.unencoded
	}
	if ferr := p.out.Flush(); err == nil && ferr != nil {
		err = &outputError{ferr}
	}
	return reportError(&p.console, err)
}

// newProgram returns a run of memend at a console.
func newProgram(c console) *program {
	p := &program{storeOpener{homeOpener: homeOpener{caller: caller{console: c}}}, func(*ui.Config) func() { return func() {} }, func() {}}
	p.overrides.agent = map[string]config.Flag{}
	return p
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// rootCommand builds the command tree.
func rootCommand(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:               "memend [DIR|STORE]",
		Annotations:       map[string]string{noJSON: always},
		Short:             "Review and correct what AI agents remember",
		ValidArgsFunction: p.completeStores,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			err := cmp.Or(emptyFlag(cmd), refuseWrites(&p.environment, cmd))
			if err != nil {
				return err
			}
			p.filters, p.named = has(cmd, filters), p.store
			if p.by, err = p.person(); err != nil && !p.filters {
				return err
			}
			if err := checkList(&p.console, cmd); err != nil {
				return err
			}
			p.writes = writes(cmd)
			p.makes = p.writes || has(cmd, attaches)
			p.creates = mayCreate(&p.invocation, cmd)
			if has(cmd, whole) {
				p.less()
			}
			p.startPager(cmd)
			return nil
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return screensOrLines(p, cmd, args)
		},
	}
	root.Version = release().full()
	root.SetFlagErrorFunc(flagError)
	flags := root.PersistentFlags()
	flags.StringVar(&p.home, "home", "", "memend's home is `DIR`; default: $MEMEND_HOME")
	flags.StringVarP(&p.store, "store", "s", "", "work on store `NAME`, an id, or a folder with a slash")
	flags.StringVar(&p.actor, "actor", "", "act as `[KIND:]NAME`; KIND is person, agent or api_key; default: the agent whose shell runs the command, else you")
	flags.StringVar(&p.session, "session", "", "act as part of session `ID`; default: that of the agent whose shell runs the command")
	flags.BoolVar(&p.json, "json", false, "print JSON, one object per line (memend help json)")
	flags.BoolVar(&p.overrides.readOnly, "read-only", false, "change no memory and no store")
	flags.BoolVar(&p.noPager, "no-pager", false, "do not use a pager")
	flags.StringVar(&p.config, "config", "", "read settings from `FILE`; default: $MEMEND_CONFIG")
	complete(root, "store", p.completeStores)
	complete(root, "session", p.completeSessions)
	complete(root, "actor", p.completeActors)
	screenFlags(&p.environment, root, false)

	commands := ""
	add := func(title string, cmds ...*cobra.Command) {
		group := &cobra.Group{ID: strings.ToLower(title), Title: title + ":"}
		root.AddGroup(group)
		for _, cmd := range cmds {
			cmd.GroupID = group.ID
			root.AddCommand(cmd)
		}
		commands += overviews(group.ID, cmds) + "\n"
	}
	help := helpCommand(p, root, &commands)
	add("Memories", lsCommand(p), catCommand(p), writeCommand(p), editCommand(p), mvCommand(p), cpCommand(p), rmCommand(p), searchCommand(p), mergeCommand(p))
	add("The past", logCommand(p), showCommand(p), diffCommand(p), blameCommand(p), traceCommand(p), undoCommand(p), redoCommand(p), restoreCommand(p), redactCommand(p))
	add("Trust", reviewCommand(p), policyCommand(p), pinCommand(p), guardCommand(p), checkCommand(p), staleCommand(p))
	add("Agents", sessionsCommand(p), agentCommand(p), watchCommand(p), toolCommand(p), mcpCommand(p), serveCommand(p), hookCommand(p), setupCommand(p), tokensCommand(p))
	add("Home", storesCommand(p), syncCommand(p), importCommand(p), exportCommand(p), backupCommand(p), statusCommand(p), doctorCommand(p), configCommand(p), demoCommand(p), help, versionCommand(&p.console))
	root.SetUsageFunc(printUsage)
	root.SetHelpCommand(help)
	root.CompletionOptions.DisableDefaultCmd = true // it is below help
	each(root, func(cmd *cobra.Command) {
		if cmd.Args == nil {
			cmd.Args = argsIn(cmd.Use)
		}
		cmd.Args = misused(cmd.Args)
	})
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) { // the texts of all commands would delay each start
		addHelp(cmd)
		show(cmd, args)
	})
	return root
}

// overviews lists the commands of a group, three in a row.
func overviews(title string, cmds []*cobra.Command) string {
	var b strings.Builder
	for row := range slices.Chunk(cmds, 3) {
		line := fmt.Sprintf("%-10s", title)
		for _, cmd := range row {
			line += fmt.Sprintf("%-8s %-15s", cmd.Name(), cmd.Annotations[overview])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		title = ""
	}
	return b.String()
}

// each calls do for a command and those below it.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, below := range cmd.Commands() {
		each(below, do)
	}
}

// emptyFlag returns an error if a flag that names something has an empty value, as the unset variable of a
// script has. A TEXT may be empty.
func emptyFlag(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		several, _ := f.Value.(pflag.SliceValue)
		empty := f.Value.Type() == "string" && f.Value.String() == "" || several != nil && slices.Contains(several.GetSlice(), "")
		if of, _ := pflag.UnquoteUsage(f); empty && of != "TEXT" {
			err = misusef(cmd.CommandPath(), "--%s: the value is empty", f.Name)
		}
	})
	return err
}

// argsIn returns the check of the arguments that a command's usage names: PATH, [PATH], PATH... or [PATH...].
func argsIn(usage string) cobra.PositionalArgs {
	least, most := 0, 0
	for _, arg := range strings.Fields(usage)[1:] {
		if !strings.HasPrefix(arg, "[") {
			least++
		}
		if most++; strings.Contains(arg, "...") {
			most = math.MaxInt
		}
	}
	return cobra.RangeArgs(least, most)
}

// misused makes an error of an argument check a misuse.
func misused(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil || errors.As(err, new(*misuse)):
			return err
		case cmd.HasSubCommands():
			return unknownCommand(cmd, args[0])
		case cmd.ValidArgs == nil || argsIn(cmd.Use)(cmd, args) != nil: // there are too few or too many
			_, takes, _ := strings.Cut(cmd.Use, " ")
			err = fmt.Errorf("%s takes %s, and %s given", cmd.Name(), cmp.Or(takes, "no arguments"), given(len(args)))
		}
		return &misuse{err, cmd.CommandPath()}
	}
}

func given(n int) string {
	switch n {
	case 0:
		return "none was"
	case 1:
		return "one was"
	}
	return strconv.Itoa(n) + " were"
}

var errNoTerminal = errors.New("the TUI needs a terminal")
