package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import java.util.Comparator;
import java.util.List;

/** The k largest values of a tensor. */
@PsFunction(value = "acme.topk", readOnly = true)
public interface TopK {
  record Request(TensorId tensor, int k) {}

  record Hit(long key, float value) {}

  record Response(int k, List<Hit> hits, FloatArray scratch) {}

  Response handle(Request slice, Shard shard);

  static Response merge(List<Response> slices) {
    int k = slices.get(0).k();
    List<Hit> hits = slices.stream()
        .flatMap(slice -> slice.hits().stream())
        .sorted(Comparator.comparing(Hit::value).reversed())
        .limit(k)
        .toList();
    return new Response(k, hits, FloatArray.allocate(0));
  }
}
