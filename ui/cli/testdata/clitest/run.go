package clitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// alone has "run" in a script start a process for every command.
var alone = flag.Bool("scripts.alone", false, "run each command of a script in a process of its own")

// manyRuns is the variable by which a process of memend runs the command lines that it reads.
const manyRuns = "MEMEND_TEST_MANY_RUNS"

// order is a command line, and what it finds.
type order struct {
	Args, Env []string
	Dir       string
	Input     []byte
}

// answer is what came of an order.
type answer struct {
	Code      int
	Out, Errs []byte
}

// Commands runs the command line of the process. A process that [Run] started runs one after the other, until there are no more.
func Commands(run func(args []string, in io.Reader, out, errs io.Writer) int) int {
	if os.Getenv(manyRuns) == "" {
		return run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return 0
		} else if err != nil {
			panic(err)
		}
		os.Clearenv()
		for _, v := range o.Env {
			name, value, _ := strings.Cut(v, "=")
			if err := os.Setenv(name, value); err != nil {
				panic(err)
			}
		}
		if err := os.Chdir(o.Dir); err != nil {
			panic(err)
		}
		var out, errs bytes.Buffer
		code := run(o.Args, bytes.NewReader(o.Input), &out, &errs)
		if err := answers.Encode(answer{code, out.Bytes(), errs.Bytes()}); err != nil {
			panic(err)
		}
	}
}

// runner runs the commands of one script.
type runner struct {
	dir     string   // of the script
	names   []string // of the variables that commands may see
	read    bool     // the script, for more names
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *json.Decoder
	errs    bytes.Buffer
}

type runnerKey struct{}

// SetUpRun prepares a script of a folder for [Run]. Its commands see the variables that are set by now, and those that the
// script or others name; one that is empty counts as not set.
func SetUpRun(e *testscript.Env, dir string, others ...string) {
	r := &runner{dir: dir, names: others}
	for _, v := range e.Vars {
		name, _, _ := strings.Cut(v, "=")
		r.names = append(r.names, name)
	}
	e.Values[runnerKey{}] = r
	e.Defer(r.end)
}

var variable = regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`)

// Run runs memend, in the process that the script has for all of these: most of what a command costs is the start of a
// process. The form is run [CODE] memend ARGS... [<FILE]. It must end with the code, which is 0
// if none is given, or any other after "!". FILE is its standard input.
func Run(ts *testscript.TestScript, neg bool, args []string) {
	want := 0
	if len(args) > 0 {
		if n, err := strconv.Atoi(args[0]); err == nil {
			want, args = n, args[1:]
		}
	}
	if len(args) == 0 || args[0] != "memend" || neg && want != 0 {
		ts.Fatalf("usage: run [code] memend [args...] [<file]")
	}
	r := ts.Value(runnerKey{}).(*runner)
	o := order{Args: args[1:], Dir: ts.MkAbs("."), Env: r.env(ts)}
	if last, ok := strings.CutPrefix(args[len(args)-1], "<"); ok {
		o.Args, o.Input = args[1:len(args)-1], []byte(ts.ReadFile(last))
	}
	got, err := r.do(ts, o)
	ts.Check(err)
	_, err = ts.Stdout().Write(got.Out)
	ts.Check(err)
	_, err = ts.Stderr().Write(got.Errs)
	ts.Check(err)
	if (got.Code == want) == neg {
		ts.Fatalf("ended with %d\n%s%s", got.Code, got.Out, got.Errs)
	}
}

// env returns the environment of the script.
func (r *runner) env(ts *testscript.TestScript) []string {
	if !r.read {
		r.read = true
		text, err := os.ReadFile(filepath.Join(r.dir, ts.Name()+".txtar"))
		ts.Check(err)
		r.names = append(r.names, variable.FindAllString(string(text), -1)...)
	}
	env := []string{"PWD=" + ts.MkAbs(".")}
	for _, name := range r.names {
		if value := ts.Getenv(name); value != "" && name != "PWD" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func (r *runner) do(ts *testscript.TestScript, o order) (a answer, err error) {
	program := filepath.Join(strings.Split(os.Getenv("PATH"), string(filepath.ListSeparator))[0], "memend")
	if *alone {
		var out, errs bytes.Buffer
		cmd := exec.Command(program, o.Args...)
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Dir, o.Env, bytes.NewReader(o.Input), &out, &errs
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = nil
		}
		return answer{cmd.ProcessState.ExitCode(), out.Bytes(), errs.Bytes()}, err
	}
	if r.cmd == nil {
		r.cmd = exec.Command(program)
		r.cmd.Env, r.cmd.Stderr = append(o.Env, manyRuns+"=1"), &r.errs
		if r.orders, err = r.cmd.StdinPipe(); err != nil {
			return a, err
		}
		out, err := r.cmd.StdoutPipe()
		if err != nil {
			return a, err
		}
		r.answers = json.NewDecoder(out)
		if err := r.cmd.Start(); err != nil {
			return a, err
		}
	}
	if err = json.NewEncoder(r.orders).Encode(o); err == nil {
		err = r.answers.Decode(&a)
	}
	if err != nil {
		r.end()
		ts.Fatalf("%v\n%s", err, r.errs.String())
	}
	return a, nil
}

// end ends the script's process.
func (r *runner) end() {
	if r.cmd != nil {
		_ = r.orders.Close()
		_ = r.cmd.Wait()
		r.cmd = nil
	}
}
