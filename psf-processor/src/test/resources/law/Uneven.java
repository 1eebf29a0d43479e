package law;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduction;

/** Answers the rows it was sent, key % 4 times the key for each other key, and what it produced itself. */
@PsFunction("law.uneven")
public interface Uneven {
  record Request(
      TensorId tensor,
      @ByKey LongArray keys,
      @Along("keys") IntArray counts,
      @Ragged("counts") FloatArray rows,
      @ByKey(combine = Reduction.LAST) LongArray others) {}

  record Response(
      @Along("keys") IntArray counts,
      @Ragged("counts") FloatArray rows,
      @Ragged("degrees") LongArray neighbors,
      @Along("others") IntArray degrees,
      @ByKey LongArray seen,
      @Along("seen") IntArray sizes,
      @Ragged("sizes") ByteArray bytes) {}

  default Response handle(Request slice, Shard shard) {
    int n = slice.others().length();
    IntArray degrees = IntArray.allocate(n);
    int total = 0;
    for (int i = 0; i < n; i++) {
      degrees.set(i, (int) (slice.others().get(i) % 4));
      total += degrees.get(i);
    }
    LongArray neighbors = LongArray.allocate(total);
    ByteArray bytes = ByteArray.allocate(total);
    int at = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < degrees.get(i); j++) {
        bytes.set(at, (byte) j);
        neighbors.set(at++, slice.others().get(i));
      }
    }
    return new Response(slice.counts(), slice.rows(), neighbors, degrees, slice.others(), degrees, bytes);
  }
}
