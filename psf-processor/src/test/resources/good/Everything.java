package good;

import static io.psf.api.layout.Reduction.AND;
import static io.psf.api.layout.Reduction.LAST;
import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;
import static io.psf.api.layout.Reduction.OR;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import java.util.List;

@PsFunction("acme.everything")
public interface Everything {
  enum Mode { FAST, EXACT }

  record Point(float x, float y) {}

  record Options(Point origin, byte[] key, TensorId also) {}

  record Request(
      boolean bool,
      byte i8,
      short i16,
      int i32,
      TensorId tensor,
      long i64,
      float f32,
      double f64,
      String string,
      Mode mode,
      TensorId other,
      float[] floats,
      double[] doubles,
      int[] ints,
      long[] longs,
      byte[] bytes,
      Options options,
      List<Point> points,
      FloatArray everywhere,
      @ByRange DoubleArray rows,
      @ByRange(width = 2) IntArray pairs,
      @Along("second") ByteArray early,
      @ByKey LongArray first,
      @Along("first") FloatArray ofFirst,
      @ByKey(combine = LAST) LongArray second,
      @Along(value = "second", width = 3) LongArray ofSecond,
      ByteArray into) {}

  record Response(
      @Reduce(OR) boolean any,
      @Reduce(AND) boolean all,
      @Reduce(MIN) byte i8,
      @Reduce(MAX) short i16,
      @Reduce(SUM) int part,
      @Reduce(SUM) long i64,
      @Reduce(MAX) float f32,
      @Reduce(MIN) double f64,
      @Reduce(SUM) FloatArray sums,
      @ByRange DoubleArray rows,
      @Along("first") FloatArray ofFirst,
      @Along(value = "second", width = 3) LongArray routing) {}

  Response handle(Request slice, Shard shard);
}
