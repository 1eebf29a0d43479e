package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/** Finds the rows that are longer than a limit; the servers say which. */
@PsFunction(value = "acme.scan", readOnly = true)
public interface Scan {
  record Request(TensorId tensor, float limit) {}

  record Response(
      @Along("found") FloatArray rows,
      @ByKey LongArray found,
      @Since(2) @Along(value = "found", width = 1) IntArray ages) {}

  Response handle(Request slice, Shard shard);
}
