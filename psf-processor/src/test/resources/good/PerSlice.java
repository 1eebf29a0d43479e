package good;

import io.psf.api.PsFunction;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import java.util.List;

/** What each slice has, one after the other. */
@PsFunction(value = "acme.per-slice", readOnly = true)
public interface PerSlice {
  record Slice(long begin, long end, double norm) {}

  record Warning(String text) {}

  /**
   * Which tensor.
   *
   * @param tensor the tensor that is looked at
   */
  record Request(TensorId tensor) {}

  /**
   * What was seen.
   *
   * @param slices one for each slice, in their order
   * @param warnings any number for each slice
   */
  record Response(List<Slice> slices, @Since(2) List<Warning> warnings) {}

  default Response handle(Request request, Shard shard) {
    Range range = shard.range();
    Slice slice = new Slice(range.begin(), range.end(), Math.sqrt(shard.values().dot(shard.values())));
    return new Response(List.of(slice), List.of());
  }
}
