package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import java.util.Comparator;
import java.util.List;

/** The k largest values of a tensor, merged by what was asked for. */
@PsFunction(value = "acme.ranked", readOnly = true)
public interface Ranked {
  record Request(TensorId tensor, int k) {}

  record Hit(long key, float value) {}

  record Response(List<Hit> hits) {}

  Response handle(Request slice, Shard shard);

  static Response merge(Request request, List<Response> slices) {
    return new Response(slices.stream()
        .flatMap(slice -> slice.hits().stream())
        .sorted(Comparator.comparing(Hit::value).reversed())
        .limit(request.k())
        .toList());
  }
}
