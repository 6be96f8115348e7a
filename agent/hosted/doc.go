// Package hosted speaks to services that keep memory stores: the memory-stores API
// (beta agent-memory-2026-07-22) through the official SDK, or any server that speaks
// it, `memend serve` too. It gives the engine what it needs of one store
// (versions.Upstream); everything else about replicas is the engine's.
//
// Credentials and base URL are those that the SDK reads from the environment. They go
// to that base URL alone. A service elsewhere is given what $MEMEND_API_KEY holds for
// its host (https://host=KEY; a bare key is for services of this machine), and nothing
// of the SDK's: no key ends up at a server that it is not for. Nothing of them is kept,
// no redirect is followed, and beyond this machine it takes https (package outbound).
//
// A request is tried up to three times where that may help; then the error says what
// is the matter. What may have been done although no answer came is found out, where
// it can be.
package hosted
