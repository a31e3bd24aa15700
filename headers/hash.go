package headers

import (
	"hash/maphash"
	"math/bits"
)

// The hash of a name must cover each of its bytes, be new in each process, and
// cost next to nothing, since every field of every response pays for it. For
// names of 4 to 32 bytes it multiplies overlapping words with secrets, as
// wyhash does; hash/maphash, which takes twice as long, has the rest.
var (
	seed    = maphash.MakeSeed()
	secrets = makeSecrets() // one for each length, then three more
)

const longest = 32

func makeSecrets() (list [longest + 4]uint64) {
	for i := range list {
		list[i] = maphash.Bytes(seed, []byte{byte(i)})
	}
	return list
}

func hash(s string) uint64 {
	n := len(s)
	switch {
	case n < 4 || n > longest:
		return maphash.String(seed, s)
	case n < 8:
		return mix(word32(s)^secrets[n], word32(s[n-4:])^secrets[longest+1])
	}
	h := mix(word64(s)^secrets[n], word64(s[n-8:])^secrets[longest+1])
	if n > 16 {
		h ^= mix(word64(s[8:])^secrets[longest+2], word64(s[n-16:])^secrets[longest+3])
	}
	return h
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func word32(s string) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

func word64(s string) uint64 {
	_ = s[7]
	return word32(s) | word32(s[4:])<<32
}
