package good;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Ragged;
import io.psf.api.layout.Reduce;
import org.jspecify.annotations.Nullable;

/** First it ran on every slice, and then by keys too. */
@PsFunction("acme.narrowed")
public interface Narrowed {
  record Request(
      TensorId tensor,
      @Since(2) @ByKey LongArray keys,
      @Since(3) @Along("keys") IntArray counts,
      @Since(3) @Ragged("counts") FloatArray values,
      @Since(4) @Nullable String before) {}

  record Response(@Reduce(SUM) FloatArray sums, @Since(2) @Along("keys") FloatArray rows) {}

  Response handle(Request slice, Shard shard);
}
