package engine_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tracedCalls are those that change a disk, or say which file a descriptor is.
var tracedCalls = []string{
	"open", "openat", "creat", "close", "dup", "dup2", "dup3",
	"write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile",
	"ftruncate", "truncate", "fallocate",
	"fsync", "fdatasync", "sync_file_range", "msync", "syncfs", "sync",
	"rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat",
}

// traced runs a role of the test binary under strace and gives the lines of the
// trace; what the role says on its standard output is in there too.
func traced(t *testing.T, role string, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", slices.Concat([]string{"-f", "-xx", "-s", "4000000", "--seccomp-bpf", "-qq",
		"-e", "signal=none", "-e", "trace=" + strings.Join(tracedCalls, ","), "-o", trace, exe}, args)...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
	out, _ := cmd.CombinedOutput() // the role kills itself, so there is an error
	if !strings.Contains(string(out), "END\n") {
		t.Fatalf("%s: %s", role, out)
	}
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var lines []string
	in := bufio.NewScanner(f)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		lines = append(lines, in.Text())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// replay takes a trace to a lazy disk, call by call.
type replay struct {
	base string // the folder that disk is
	disk *lazyDisk
	half map[string]string    // begun and not returned, by thread
	done map[string]bool      // not returned, but replayed: another thread saw its effect, by thread
	sync map[string]syncPoint // likewise
	met  map[string]*node     // what a call that opens found when it began: it may be removed before it returns, by thread
	said []string             // on standard output so far, by lines
}

func newReplay(t *testing.T, base string) *replay {
	return &replay{base: base, disk: newLazyDisk(t, base), half: map[string]string{}, done: map[string]bool{}, sync: map[string]syncPoint{}, met: map[string]*node{}}
}

// callOf takes a line apart: the call, its arguments and what it returned. Texts are written in hexadecimal digits.
func callOf(line string) (name string, args []string, result string, ok bool) {
	name, rest, _ := strings.Cut(line, "(")
	inside, after, _ := strings.Cut(rest, ")")
	result, ok = strings.CutPrefix(strings.TrimLeft(after, " "), "= ")
	result, _, _ = strings.Cut(result, " ")
	return name, strings.Split(inside, ", "), result, ok && result != "?" // of a call in which the process died
}

// line does what one line of the trace says and reports whether it could matter
// to a disk.
func (r *replay) line(l string) (bool, error) {
	thread, text, _ := strings.Cut(l, " ")
	text = strings.TrimLeft(text, " ")
	if head, begun := strings.CutSuffix(text, " <unfinished ...>"); begun {
		r.half[thread] = head
		return false, r.begin(thread, head)
	}
	if _, rest, resumed := strings.Cut(text, " resumed>"); resumed && strings.HasPrefix(text, "<... ") {
		text = r.half[thread] + rest
		delete(r.half, thread)
		if r.done[thread] {
			delete(r.done, thread)
			return true, nil
		}
	} else if err := r.begin(thread, text); err != nil {
		return false, err
	}
	name, args, returned, ok := callOf(text)
	if !ok {
		return false, nil
	}
	result, err := strconv.Atoi(returned)
	if err != nil || result < 0 {
		return false, err
	}
	matters, err := r.call(thread, name, args, result)
	if err != nil {
		err = fmt.Errorf("%.200s: %w", text, err)
	}
	return matters, err
}

// begin does what counts before a call returns. A sync covers nothing that other
// threads do while it runs; a number that is closed may be another thread's next
// file already when the call returns.
func (r *replay) begin(thread, text string) error {
	name, rest, _ := strings.Cut(text, "(")
	if name == "openat" {
		args := strings.Split(rest, ", ")
		if folder, last := r.find(args[0], args[1]); folder != nil {
			r.met[thread] = folder.names[last]
		}
		return nil
	}
	if name != "fsync" && name != "fdatasync" && name != "close" {
		return nil
	}
	var fd int
	if _, err := fmt.Sscan(strings.FieldsFunc(rest, func(c rune) bool { return c == ' ' || c == ')' })[0], &fd); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	if name == "close" {
		delete(r.disk.fds, fd)
		return nil
	}
	if _, known := r.disk.fds[fd]; !known {
		return fmt.Errorf("%s: of which file?", text)
	}
	r.sync[thread] = r.disk.beginSync(fd)
	return nil
}

// call does one call that succeeded.
func (r *replay) call(thread, name string, args []string, result int) (bool, error) {
	d := r.disk
	fd, _ := strconv.Atoi(args[0])
	switch name {
	case "close": // see begin
	case "open", "creat":
		return r.open(nil, "AT_FDCWD", args[0], strings.Join(args[1:], "|"), result)
	case "openat":
		met := r.met[thread]
		delete(r.met, thread)
		return r.open(met, args[0], args[1], args[2], result)
	case "write":
		if fd == 1 {
			r.said = append(r.said, strings.TrimSpace(unhex(args[1])))
			return true, nil
		}
		if n := d.fds[fd]; n != nil {
			n.write(diskWrite{off: d.at[n], data: []byte(unhex(args[1]))[:result]})
			d.at[n] += int64(result)
			return true, nil
		}
	case "pwrite64":
		if n := d.fds[fd]; n != nil {
			off, err := strconv.ParseInt(args[3], 10, 64)
			n.write(diskWrite{off: off, data: []byte(unhex(args[1]))[:result]})
			return true, err
		}
	case "ftruncate":
		if n := d.fds[fd]; n != nil {
			size, err := strconv.ParseInt(args[1], 10, 64)
			n.write(diskWrite{off: size, cut: true})
			return true, err
		}
	case "fsync", "fdatasync":
		d.endSync(r.sync[thread])
		return true, nil
	case "rename":
		return r.rename("AT_FDCWD", args[0], "AT_FDCWD", args[1])
	case "renameat", "renameat2":
		return r.rename(args[0], args[1], args[2], args[3])
	case "unlink", "rmdir":
		return r.name("AT_FDCWD", args[0], nil)
	case "unlinkat":
		return r.name(args[0], args[1], nil)
	case "mkdir":
		return r.name("AT_FDCWD", args[0], newFolder())
	case "mkdirat":
		return r.name(args[0], args[1], newFolder())
	default:
		if d.fds[fd] != nil || strings.Contains(name, "link") || strings.HasPrefix(name, "sync") || name == "truncate" {
			return false, fmt.Errorf("the disk knows no %s", name)
		}
	}
	return false, nil
}

// find gives the folder and the last name of a path; a nil folder is not on our disk.
func (r *replay) find(at, quoted string) (folder *node, name string) {
	p := unhex(quoted)
	if filepath.IsAbs(p) {
		rel, err := filepath.Rel(r.base, p)
		if err != nil || strings.HasPrefix(rel, "..") {
			return nil, ""
		}
		folder, p = r.disk.root, rel
	} else {
		fd, err := strconv.Atoi(at)
		if err != nil {
			return nil, "" // relative to where the process runs, which is elsewhere
		}
		folder = r.disk.fds[fd]
	}
	segments := strings.Split(filepath.Clean(p), "/")
	for _, s := range segments[:len(segments)-1] {
		if folder != nil {
			folder = r.named(folder, s)
		}
	}
	return folder, segments[len(segments)-1]
}

// named is what a name of a folder stands for. Another thread may see a name before the
// call that made it has returned: then that call is replayed now.
func (r *replay) named(folder *node, name string) *node {
	if n := folder.names[name]; n != nil {
		return n
	}
	for thread, text := range r.half {
		call, args, _, ok := callOf(text + ") = 0")
		if !ok || r.done[thread] {
			continue
		}
		var at, quoted string
		switch call {
		case "mkdir":
			at, quoted = "AT_FDCWD", args[0]
		case "mkdirat":
			at, quoted = args[0], args[1]
		case "rename":
			at, quoted = "AT_FDCWD", args[1]
		case "renameat", "renameat2":
			at, quoted = args[2], args[3]
		default:
			continue
		}
		// Before it is looked up: a folder of its own path may be in the making too.
		r.done[thread] = true
		if f, last := r.find(at, quoted); f != folder || last != name {
			delete(r.done, thread)
			continue
		}
		if _, err := r.call(thread, call, args, 0); err == nil {
			return folder.names[name]
		}
		delete(r.done, thread)
	}
	return nil
}

// open opens what a name stands for, or else what the call met when it began.
func (r *replay) open(met *node, at, quoted, flags string, fd int) (bool, error) {
	r.disk.fds[fd] = nil // not on our disk
	folder, name := r.find(at, quoted)
	if folder == nil {
		return false, nil
	}
	n, made := folder, false
	if name != "." {
		n = r.named(folder, name)
	}
	if n == nil && !strings.Contains(flags, "O_CREAT") {
		n = met
	}
	if n == nil && strings.Contains(flags, "O_CREAT") {
		n, made = &node{}, true
		r.disk.do(nameOp{edits: []nameEdit{{folder, name, n}}})
	}
	if n == nil {
		return false, fmt.Errorf("%s is not on the disk", name)
	}
	r.disk.fds[fd] = n
	if !n.folder() {
		r.disk.at[n] = 0
		if strings.Contains(flags, "O_TRUNC") {
			n.write(diskWrite{cut: true})
		}
	}
	return made, nil
}

func (r *replay) name(at, quoted string, to *node) (bool, error) {
	folder, name := r.find(at, quoted)
	if folder == nil {
		return false, nil
	}
	r.disk.do(nameOp{edits: []nameEdit{{folder, name, to}}})
	return true, nil
}

func (r *replay) rename(at, from, to, dest string) (bool, error) {
	a, x := r.find(at, from)
	b, y := r.find(to, dest)
	if a == nil || b == nil {
		return false, nil
	}
	n := r.named(a, x)
	if n == nil {
		return false, fmt.Errorf("%s is not on the disk", x)
	}
	r.disk.do(nameOp{edits: []nameEdit{{a, x, nil}, {b, y, n}}, moved: n})
	return true, nil
}

// unhex reads a string as strace -xx writes it.
func unhex(quoted string) string {
	var b strings.Builder
	for h := range strings.SplitSeq(strings.Trim(strings.TrimSuffix(quoted, "..."), `"`), `\x`) {
		if v, err := strconv.ParseUint(h, 16, 8); err == nil {
			b.WriteByte(byte(v))
		}
	}
	return b.String()
}

// A watcher opens a folder as soon as it is there, which may be before the call that makes
// it returns to its thread.
func TestReplay_SeesWhatACallMadeBeforeItReturned(t *testing.T) {
	x := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return `"` + b.String() + `"`
	}
	base := t.TempDir()
	r := newReplay(t, base)
	for _, l := range []string{
		`1 mkdir(` + x(base+"/folder") + `, 0700) = 0`,
		`1 mkdirat(AT_FDCWD, ` + x(base+"/folder/a") + `, 0700 <unfinished ...>`,
		`2 openat(AT_FDCWD, ` + x(base+"/folder/a") + `, O_RDONLY|O_DIRECTORY) = 5`,
		`2 mkdirat(5, ` + x("b") + `, 0700) = 0`,
		`1 <... mkdirat resumed>) = 0`,
		`1 openat(5, ` + x("draft") + `, O_RDWR|O_CREAT, 0600) = 6`,
		`1 renameat(5, ` + x("draft") + `, 5, ` + x("memory") + ` <unfinished ...>`,
		`2 openat(5, ` + x("memory") + `, O_RDONLY) = 7`,
		`1 <... renameat resumed>) = 0`,
	} {
		if _, err := r.line(l); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
	// A folder is removed while another thread opens it.
	for _, l := range []string{
		`1 mkdirat(5, ` + x("gone") + `, 0700) = 0`,
		`2 openat(5, ` + x("gone") + `, O_RDONLY|O_DIRECTORY <unfinished ...>`,
		`1 unlinkat(5, ` + x("gone") + `, AT_REMOVEDIR) = 0`,
		`2 <... openat resumed>) = 8`,
		`2 fsync(8) = 0`,
	} {
		if _, err := r.line(l); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
	folder := r.disk.root.names["folder"].names["a"]
	if folder == nil || len(folder.names) != 2 || folder.names["b"] == nil || folder.names["memory"] == nil {
		t.Fatalf("the disk has %v", folder)
	}
	if _, err := r.line(`2 openat(5, ` + x("nothing") + `, O_RDONLY) = 9`); err == nil {
		t.Fatal("a file that nobody made was opened")
	}
}
