package good;

import io.psf.api.PsHandler;
import io.psf.api.Shard;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Handlers that do not implement the interface of their function. */
public final class Kinds {
  @PsHandler(function = Axpy.class, preference = 3)
  public static final class OfDevice {
    public Axpy.Response handle(Axpy.Request slice, OnDevice.DeviceShard shard) {
      shard.synchronize();
      return new Axpy.Response(0);
    }
  }

  @PsHandler(function = Axpy.class, preference = 4)
  public static final class Later {
    public CompletionStage<Axpy.Response> handle(Axpy.Request slice, OnDevice.DeviceShard shard) {
      return CompletableFuture.completedFuture(new Axpy.Response(0));
    }
  }

  @PsHandler(function = Pull.class)
  public static final class OfAnyShard {
    public Pull.Response handle(Pull.Request slice, Shard shard) throws Exception {
      throw new Exception("not made");
    }
  }
}
