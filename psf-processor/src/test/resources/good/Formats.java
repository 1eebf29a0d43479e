package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.layout.Wire;
import org.jspecify.annotations.Nullable;

/** Sends arrays in other formats than float32. */
@PsFunction("acme.formats")
public interface Formats {
  record Request(
      TensorId table,
      TensorId other,
      @ByKey(combine = Reduction.SUM) LongArray rows,
      @Along("rows") @Wire(FloatType.BFLOAT16) FloatArray update,
      @ByRange @Wire FloatArray all,
      @Wire(FloatType.INT8) @Nullable FloatArray whole,
      @Wire(FloatType.FLOAT32) FloatArray plain,
      @ByKey(of = "other") LongArray others) {}

  record Response(
      @Along("rows") @Wire FloatArray values,
      @ByRange @Wire(FloatType.FLOAT16) FloatArray all,
      @Reduce(Reduction.SUM) @Wire(FloatType.INT8) FloatArray sums,
      @Along(value = "rows", width = 16) @Wire FloatArray wide,
      @ByRange(width = 9) @Wire(FloatType.INT8) FloatArray nine,
      @Along(value = "rows", width = 8) @Wire(FloatType.BFLOAT16) FloatArray half,
      @Along("others") @Wire(FloatType.INT8) FloatArray ofOther) {}

  Response handle(Request slice, Shard shard);
}
