// Package ssh carries the memory-stores API over the standard streams of a program: HTTP/2 without
// TLS, between "memend serve --listen stdio" and a client. The client starts the server on another machine
// with the ssh command, as git does, so there is no port, no token and no cryptography here: host
// keys, logins and settings are those of ssh.
//
// $MEMEND_SSH names another command to use as ssh. If it has arguments, the shell runs it.
//
// A Transport keeps one connection and starts another one when a request needs it. Its connections
// never prompt, except the one that Login makes. Errors are of type *Error: they quote what ssh and
// the server printed, and say what to do.
package ssh
