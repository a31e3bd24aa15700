package tune

import (
	"maps"
	"math"
	"slices"
)

// headroom is what is added to the clusters of clients that cannot spread them:
// a fifth, as a fraction so that it is exact.
const headroomNum, headroomDen = 6, 5

// withHeadroom returns ⌈size × 1.2⌉.
func withHeadroom(size int64) int64 {
	return plus(times(size, headroomNum), headroomDen-1) / headroomDen
}

// sizes counts clusters by their size.
type sizes map[int64]int64

// A Size is how many clusters have a size.
type Size struct {
	Size     int64 `json:"size"`
	Clusters int64 `json:"clusters"`
}

// list returns the sizes that there are, the smallest first.
func (s sizes) list() []Size {
	list := make([]Size, 0, len(s))
	for _, size := range slices.Sorted(maps.Keys(s)) {
		list = append(list, Size{size, s[size]})
	}
	return list
}

func (s sizes) count() (n int64) {
	for _, count := range s {
		n += count
	}
	return n
}

// mean is 0 if there are none.
func (s sizes) mean() float64 {
	var sum float64
	for size, count := range s {
		sum += float64(size) * float64(count)
	}
	return sum / float64(max(s.count(), 1))
}

// percentile returns the size at rank p/100·(n−1), rounded half to even; 0 if
// there are none.
func (s sizes) percentile(p float64) int64 {
	n := s.count()
	rank := min(n-1, int64(math.RoundToEven(p/100*float64(n-1))))
	for _, size := range s.list() {
		if rank < size.Clusters {
			return size.Size
		}
		rank -= size.Clusters
	}
	return 0
}

// without returns the clusters that are not among others.
func (s sizes) without(others sizes) sizes {
	rest := maps.Clone(s)
	for size, count := range others {
		rest[size] -= count
	}
	maps.DeleteFunc(rest, func(_, count int64) bool { return count == 0 })
	return rest
}
