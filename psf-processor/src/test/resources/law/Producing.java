package law;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;

/** The servers say which keys they answer: those that they were sent which are even, and rows along them. */
@PsFunction("law.producing")
public interface Producing {
  record Request(TensorId tensor, @ByRange(width = 1) LongArray ids, @ByRange FloatArray rows) {}

  record Response(
      @Along("even") FloatArray rows,
      @ByKey LongArray even,
      @Along(value = "even", width = 2) DoubleArray twice) {}

  default Response handle(Request slice, Shard shard) {
    int n = 0;
    for (int i = 0; i < slice.ids().length(); i++) {
      n += slice.ids().get(i) % 2 == 0 ? 1 : 0;
    }
    int width = slice.ids().length() == 0 ? 0 : slice.rows().length() / slice.ids().length();
    FloatArray rows = FloatArray.allocate(n * width);
    LongArray even = LongArray.allocate(n);
    DoubleArray twice = DoubleArray.allocate(2 * n);
    int at = 0;
    for (int i = 0; i < slice.ids().length(); i++) {
      if (slice.ids().get(i) % 2 == 0) {
        rows.copyRow(at, slice.rows(), i, width);
        even.set(at, slice.ids().get(i));
        twice.set(2 * at, i);
        twice.set(2 * at + 1, slice.ids().get(i));
        at++;
      }
    }
    return new Response(rows, even, twice);
  }
}
