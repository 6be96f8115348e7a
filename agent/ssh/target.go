package ssh

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Scheme begins the URLs of this package.
const Scheme = "ssh://"

// Target is a machine that ssh reaches: a name of its configuration, a host name or an address.
type Target struct {
	User string // empty: as ssh decides
	Host string
	Port string // empty: as ssh decides
}

// Parts of a target become arguments of ssh, which would take a leading dash for an option.
var (
	hostForm = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}._-]*$|^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$`)
	userForm = regexp.MustCompile(`^[\p{L}\p{N}_.][\p{L}\p{N}._@+\\-]*$`)
)

// Parse reads ssh://[USER@]HOST[:PORT][/STORE]. The store may be empty.
func Parse(text string) (t Target, store string, err error) {
	bad := func(why string) (Target, string, error) {
		return Target{}, "", fmt.Errorf("%s: %s; write it like ssh://HOST/STORE or ssh://USER@HOST:PORT/STORE", text, why)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return bad("this is not a URL")
	case u.Scheme != "ssh":
		return bad("this is not an ssh:// URL")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return bad("it has a query or a fragment (write ? as %3F, and # as %23)")
	case u.Opaque != "" || u.Host == "" || u.Hostname() == "":
		return bad("it names no host")
	}
	t = Target{Host: u.Hostname(), Port: u.Port()}
	if u.User != nil {
		if _, set := u.User.Password(); set {
			text = Scheme + "…"
			return bad("a password has no place in it: ssh logs in with keys, or asks")
		}
		if t.User = u.User.Username(); !userForm.MatchString(t.User) {
			return bad("the user's name is empty or has other characters than letters, digits and ._@+-")
		}
	}
	if !hostForm.MatchString(t.Host) {
		return bad("the host has other characters than letters, digits and ._-")
	}
	if n, err := strconv.Atoi(t.Port); t.Port != "" && (err != nil || n < 1 || n > 65535) {
		return bad("the port is not a number from 1 to 65535")
	}
	escaped := strings.Trim(u.EscapedPath(), "/")
	if strings.Contains(escaped, "/") {
		return bad("a store has one name or id, without a slash (write / as %2F if it has one)")
	}
	if store, err = url.PathUnescape(escaped); err != nil {
		return bad("this is not a URL")
	}
	return t, store, nil
}

// URL returns the target as a URL without a store.
func (t Target) URL() string {
	s := t.name()
	if strings.Contains(t.Host, ":") {
		s = strings.Replace(s, t.Host, "["+t.Host+"]", 1)
	}
	if t.Port != "" {
		s += ":" + t.Port
	}
	return Scheme + s
}

// name returns the target as ssh takes it, without the port.
func (t Target) name() string {
	if t.User != "" {
		return t.User + "@" + t.Host
	}
	return t.Host
}

// Command returns the command that logs in by hand.
func (t Target) Command() string {
	if t.Port != "" {
		return "ssh -p " + t.Port + " " + t.name()
	}
	return "ssh " + t.name()
}
