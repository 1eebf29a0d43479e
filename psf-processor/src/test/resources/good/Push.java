package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.Reduction;

/** Adds rows, folded on the worker, and tells every slice that a round is over. */
@PsFunction("acme.push")
interface Push {
  record Request(
      TensorId table,
      @ByKey(combine = Reduction.SUM, everySlice = true) LongArray rows,
      @Along("rows") FloatArray update,
      @Along(value = "rows", width = 1) FloatArray weight) {}

  record Response() {}

  default Response handle(Request slice, Shard shard) {
    return new Response();
  }
}
