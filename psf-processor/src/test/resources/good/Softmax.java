package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import java.util.List;

/** The shares of candidates that may lie on several slices. */
@PsFunction(value = "acme.softmax", readOnly = true)
public interface Softmax {
  record Request(TensorId weights, @ByKey LongArray candidates, float temperature) {}

  record Slice(long begin, int candidates) {}

  record Response(
      @Reduce(Reduction.SUM) double total,
      List<Slice> slices,
      @Along(value = "candidates", width = 1) FloatArray shares,
      @Since(2) @Reduce(Reduction.MAX) float largest) {}

  Response handle(Request slice, Shard shard);

  static Response finish(Request request, Response merged) {
    float scale = (float) (1 / merged.total());
    merged.shares().scale(scale);
    return new Response(1, merged.slices(), merged.shares(), merged.largest() * scale);
  }
}
