package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Nested records and enums that have grown. */
@PsFunction(value = "acme.grown-within", formerly = {"acme.grown-inside", "acme.old"})
public interface GrownWithin {
  enum Mode { FAST, EXACT, @Unknown OTHER, @Since(2) LAZY, @Since(4) EAGER }

  enum Strict { A, @Since(3) B }

  record Name(String first, @Since(4) @Nullable String last) {}

  record Point(
      float x,
      Mode mode,
      @Since(2) float y,
      @Since(3) Name name,
      @Since(4) Map<String, Integer> counts) {}

  record Request(
      TensorId tensor,
      Point point,
      List<Point> points,
      @Nullable Name name,
      Strict strict,
      @Since(3) Point later,
      @Since(4) List<Name> names) {}

  record Response(List<Name> names, @Since(2) List<Strict> strict) {}

  Response handle(Request slice, Shard shard);
}
