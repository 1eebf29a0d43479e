package law;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/** Answers what it was sent: the merge of the partition is the identity. */
@PsFunction("law.echo")
public interface Echo {
  record Request(
      TensorId tensor,
      int scalar,
      @ByRange FloatArray rows,
      @ByRange(width = 2) LongArray pairs,
      @ByKey LongArray keys,
      @Along("keys") FloatArray values,
      @ByKey LongArray others,
      @Along(value = "others", width = 3) IntArray ofOthers,
      DoubleArray everywhere) {}

  record Response(
      @ByRange FloatArray rows,
      @ByRange(width = 2) LongArray pairs,
      @Along("keys") FloatArray values,
      @Along(value = "others", width = 3) IntArray ofOthers,
      @Reduce(Reduction.SUM) int keys,
      @Reduce(Reduction.MIN) long leastKey,
      @Reduce(Reduction.MAX) long greatestKey,
      @Reduce(Reduction.OR) boolean anyKeys,
      @Reduce(Reduction.AND) boolean allKeys,
      @Reduce(Reduction.MAX) float scalar,
      @Reduce(Reduction.MIN) DoubleArray everywhere) {}

  default Response handle(Request slice, Shard shard) {
    long least = Long.MAX_VALUE;
    long greatest = Long.MIN_VALUE;
    for (int i = 0; i < slice.keys().length(); i++) {
      least = Math.min(least, slice.keys().get(i));
      greatest = Math.max(greatest, slice.keys().get(i));
    }
    return new Response(
        slice.rows(),
        slice.pairs(),
        slice.values(),
        slice.ofOthers(),
        slice.keys().length(),
        least,
        greatest,
        slice.keys().length() > 0,
        slice.keys().length() > 0,
        slice.scalar(),
        slice.everywhere());
  }
}
