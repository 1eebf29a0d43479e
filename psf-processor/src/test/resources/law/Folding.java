package law;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduction;

/** Duplicates are folded on the way out, and come back to every position. */
@PsFunction("law.folding")
public interface Folding {
  record Request(
      TensorId tensor,
      @ByKey(combine = Reduction.SUM) LongArray keys,
      @Along(value = "keys", width = 2) IntArray updates) {}

  record Response(@Along(value = "keys", width = 2) IntArray sums, @Along(value = "keys", width = 1) LongArray keys) {}

  default Response handle(Request slice, Shard shard) {
    return new Response(slice.updates(), slice.keys());
  }
}
