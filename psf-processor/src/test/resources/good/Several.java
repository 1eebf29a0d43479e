package good;

import static io.psf.api.layout.Reduction.AND;
import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lists, maps and booleans; and a handler that may fail with a checked exception. */
@PsFunction("acme.several")
public interface Several {
  enum Mode { FAST, EXACT }

  record Item(boolean[] flags, List<String> words, @Nullable Map<String, Mode> modes) {}

  record Request(
      TensorId tensor,
      boolean[] flags,
      boolean @Nullable [] mask,
      List<String> words,
      List<Boolean> bools,
      List<Byte> bytes,
      List<Short> shorts,
      List<Integer> ints,
      List<Long> longs,
      List<Float> floats,
      List<Double> doubles,
      List<Mode> modes,
      List<TensorId> others,
      Map<String, Boolean> bool,
      Map<String, Byte> i8,
      Map<String, Short> i16,
      Map<String, Integer> i32,
      Map<String, Long> i64,
      Map<String, Float> f32,
      Map<String, Double> f64,
      Map<String, String> text,
      Map<String, Mode> mode,
      Map<String, TensorId> tensors,
      Item item,
      List<Item> items,
      @Since(2) boolean[] laterFlags,
      @Since(2) List<String> laterWords,
      @Since(2) Map<String, Integer> laterCounts) {}

  record Response(
      List<String> words,
      List<Integer> ints,
      List<Mode> modes,
      Map<String, String> text,
      @Reduce(SUM) Map<String, Integer> sums,
      @Reduce(MIN) Map<String, Float> least,
      @Reduce(MAX) Map<String, Byte> greatest,
      @Reduce(AND) Map<String, Boolean> all,
      @Since(2) List<Long> laterLongs,
      @Since(2) @Reduce(SUM) Map<String, Double> laterSums) {}

  Response handle(Request slice, Shard shard) throws IOException;
}
