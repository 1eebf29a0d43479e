package good;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.array.FloatArray;
import io.psf.api.layout.ByKey;

/** Counts what is added to a key, on the one server that owns it. */
@PsFunction(value = "acme.counter", at = Place.SERVER)
public interface Counter {
  record Request(String group, @ByKey long key, int more) {}

  record Response(long count, String group, FloatArray history) {}

  Response handle(Request request, Node server);
}
