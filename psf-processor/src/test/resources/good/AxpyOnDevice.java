package good;

import io.psf.api.Available;
import io.psf.api.PsHandler;
import io.psf.api.Shard;
import java.util.Optional;

@PsHandler(preference = 10)
public final class AxpyOnDevice implements Axpy, Available {
  @Override public Optional<String> unavailable() {
    return Optional.of("no device");
  }

  @Override public Response handle(Request slice, Shard shard) {
    throw new UnsupportedOperationException();
  }
}
