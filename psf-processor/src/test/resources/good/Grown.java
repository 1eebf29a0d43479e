package good;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import java.util.List;

@PsFunction("acme.grown")
public interface Grown {
  enum Mode { FAST, EXACT }

  record Point(float x, Mode mode) {}

  record Request(
      TensorId tensor,
      @Since(2) int rounds,
      @Since(2) @ByRange FloatArray x,
      @Since(3) String note,
      @Since(3) Mode mode,
      @Since(3) long[] ids,
      @Since(3) Point point,
      @Since(3) List<Point> points) {}

  record Response(
      @Reduce(SUM) float norm,
      @Since(3) @Reduce(SUM) DoubleArray sums,
      @Since(4) @ByRange FloatArray values,
      @Since(4) @Reduce(SUM) long count) {}

  Response handle(Request slice, Shard shard);
}
