package good;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;

/** Runs on shards of one kind. */
@PsFunction("acme.on_device")
public interface OnDevice {
  /** The kind. */
  interface DeviceShard extends Shard {
    void synchronize();
  }

  record Request(TensorId y) {}

  record Response() {}

  default Response handle(Request slice, DeviceShard shard) {
    shard.synchronize();
    return new Response();
  }
}
