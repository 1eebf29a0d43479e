package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nearly all of it may be null. */
@PsFunction("acme.absent")
public interface Absent {
  enum Mode { FAST, EXACT }

  record Name(@Nullable String first, int @Nullable [] digits) {}

  record Point(float x, @Nullable Name name, @Nullable TensorId of) {}

  record Request(
      TensorId tensor,
      @Nullable String text,
      @Nullable Point point,
      float @Nullable [] copied,
      @Nullable FloatArray shared,
      FloatArray there,
      @Nullable TensorId other,
      @Nullable Mode mode,
      @Nullable List<Point> points,
      Absent.@Nullable Name name,
      @Since(2) @Nullable String later,
      @Since(2) @Nullable TensorId laterTensor) {}

  record Response(@Nullable String text, @Nullable FloatArray shared) {}

  Response handle(Request slice, Shard shard);

  static Response merge(List<Response> slices) {
    return slices.get(slices.size() - 1);
  }
}
