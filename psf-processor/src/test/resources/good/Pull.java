package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * Fetches rows.
 *
 * <p>In any order, {@code duplicates} included.
 *
 * @see Push
 */
@PsFunction(value = "acme.pull", readOnly = true)
public interface Pull {
  /**
   * What to fetch.
   *
   * @param rows [n] int64 row ids;
   *     borrowed until await returns
   */
  record Request(TensorId table, @ByKey LongArray rows) {}

  record Response(@Along("rows") FloatArray values) {}

  Response handle(Request slice, Shard shard);
}
