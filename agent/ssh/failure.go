package ssh

import (
	"fmt"
	"strings"
)

// Error says why a machine can't be reached, or why a connection ended.
type Error struct {
	Target  Target
	NotSent bool // the connection never began, so no request was sent
	Final   bool // another attempt is of no use until somebody does something
	Text    string
	Hint    string // what to do; may be empty
	Err     error
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Exit codes of ssh: its own, and the shell's if it finds no such command.
const (
	exitSSH       = 255
	exitNotFound  = 127
	exitNoProgram = 126
)

// failure returns why the program ended, or the stream from it did. printed is what it printed
// instead of an answer.
func (p *process) failure(notSent bool, printed []byte) *Error {
	code := p.exitCode()
	e := &Error{Target: p.target, NotSent: notSent}
	host := p.target.Host
	switch {
	case !notSent:
		e.Text = "the connection to " + host + " ended" + p.words()
	case code == exitNotFound || code == exitNoProgram:
		e.Final = true
		e.Text = "memend is not installed on " + host + ", or not in the PATH of a non-interactive shell" + p.words()
		e.Hint = "install it there; `" + p.target.Command() + " memend version` must work"
	case code == exitSSH:
		e.Text = "ssh " + p.target.name() + orNothing(p.words())
		p.explain(e)
	case code == 0 && len(printed) > 0:
		return p.noise(printed)
	case code == 0 || code < 0:
		e.Text = "the connection to " + host + " ended before memend answered" + p.words()
	default:
		e.Final = true
		e.Text = fmt.Sprintf("memend on %s ended with exit code %d", host, code) + orNothing(p.words())
		if strings.Contains(e.Text, "--listen stdio") {
			e.Hint = "memend there is too old: update it"
		}
	}
	return e
}

// explain says what to do about an error of ssh.
func (p *process) explain(e *Error) {
	login := "`" + p.target.Command() + "`"
	switch said := p.errs.String(); {
	case strings.Contains(said, "HOST IDENTIFICATION HAS CHANGED"):
		e.Final = true
		e.Hint = "nothing was sent; if the owner of " + p.target.Host + " confirms the new key, remove the old one with ssh-keygen -R as ssh says, and run " + login + " once"
	case strings.Contains(said, "Host key verification failed"):
		e.Final = true
		e.Hint = "run " + login + " once, and compare the key before you accept it"
	case strings.Contains(said, "Permission denied"):
		e.Final = true
		e.Hint = login + " must log in without a question: add a key to its authorized_keys and to ssh-agent here"
	}
}

// noise returns the error for a program that prints something other than HTTP/2.
func (p *process) noise(printed []byte) *Error {
	const most = 80
	if len(printed) > most {
		printed = printed[:most]
	}
	return &Error{Target: p.target, NotSent: true, Final: true,
		Text: fmt.Sprintf("%s answers something other than memend: %q", p.target.Host, strings.TrimSpace(string(printed))),
		Hint: "its shell must print nothing when it is not interactive; `" + p.target.Command() + " true` shows what it prints"}
}

// words returns what the program printed as errors, in one line, after a colon; or nothing.
func (p *process) words() string {
	var lines []string
	for line := range strings.Lines(p.errs.String()) {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "@ ") != "" { // a frame around a warning
			lines = append(lines, strings.Trim(line, "@ "))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, "; ")
}

func orNothing(words string) string {
	if words == "" {
		return ": it printed no reason"
	}
	return words
}
