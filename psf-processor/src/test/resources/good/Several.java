package good;

import static io.psf.api.layout.Reduction.AND;
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

  record Item(boolean[] flags, @Nullable List<Mode> modes) {}

  record Request(
      TensorId tensor,
      boolean[] flags,
      boolean @Nullable [] mask,
      List<Boolean> bools,
      List<Short> shorts,
      Map<String, Short> sizes,
      Map<String, TensorId> tensors,
      List<Item> items,
      @Since(2) boolean[] laterFlags,
      @Since(2) Map<String, Mode> laterModes) {}

  record Response(
      List<String> words,
      Map<String, String> text,
      @Reduce(SUM) Map<String, Integer> sums,
      @Reduce(AND) Map<String, Boolean> all,
      @Since(2) List<Long> laterLongs,
      @Since(2) @Reduce(SUM) Map<String, Double> laterSums) {}

  Response handle(Request slice, Shard shard) throws IOException;
}
