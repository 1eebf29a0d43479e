package good;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;

/** Counts the shards of some tensors. */
@PsFunction(value = "acme.census", at = Place.SERVER, readOnly = true)
public interface Census {
  record Request(TensorId first, TensorId second) {}

  record Response(@Reduce(SUM) int shards) {}

  default Response handle(Request request, Node node) {
    return new Response(node.shards().size());
  }
}
