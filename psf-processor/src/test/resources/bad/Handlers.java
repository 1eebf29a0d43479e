package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

public final class Handlers {
  @PsFunction("bad.handlers.one")
  interface One {
    record Request(TensorId tensor) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
      return new Response();
    }
  }

  @PsFunction("bad.handlers.two")
  interface Two {
    record Request(TensorId tensor) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
      return new Response();
    }
  }

  @PsHandler
  public abstract static class Open implements One {} // ERROR [PsfHandlerKind]

  @PsHandler
  public class Inner implements One {} // ERROR [PsfHandlerKind]

  @PsHandler
  interface Further extends One {} // ERROR [PsfHandlerKind]

  @PsHandler
  static class Hidden implements One {} // ERROR [PsfHandlerNotPublic]

  @PsHandler
  public static class Needy implements One { // ERROR [PsfHandlerConstructor]
    public Needy(int wanted) {}
  }

  @PsHandler
  public static class Idle implements Runnable { // ERROR [PsfHandlerOfNothing]
    @Override
    public void run() {}
  }

  static class Base implements One {}

  @PsHandler
  public static class Both implements One, Two { // ERROR [PsfHandlerOfSeveral]
    @Override
    public One.Response handle(One.Request slice, Shard shard) {
      return new One.Response();
    }

    @Override
    public Two.Response handle(Two.Request slice, Shard shard) {
      return new Two.Response();
    }
  }

  @PsHandler
  public static class Derived extends Base {}

  @PsHandler
  public static class Again implements One {} // ERROR [PsfHandlerTwice]

  @PsHandler(preference = 2)
  public static class Preferred implements One {}

  @PsHandler(preference = 2)
  public static class PreferredToo implements One {} // ERROR [PsfHandlerTwice]

  interface Kind extends Shard {}

  @PsFunction(value = "bad.handlers.on_nodes", at = Place.SERVER)
  interface OnNodes {
    record Request() {}

    record Response() {}

    Response handle(Request request, Node node);
  }

  @PsHandler(function = Runnable.class) // ERROR [PsfHandlerFunction]
  public static class OfRunnable {
    public One.Response handle(One.Request slice, Kind shard) {
      return new One.Response();
    }
  }

  @PsHandler(function = int.class) // ERROR [PsfHandlerFunction]
  public static class OfInt {}

  @PsHandler(function = OnNodes.class) // ERROR [PsfHandlerFunction]
  public static class OfOnNodes {
    public OnNodes.Response handle(OnNodes.Request request, Node node) {
      return new OnNodes.Response();
    }
  }

  @PsHandler(function = One.class, preference = 3) // ERROR [PsfHandlerFunction]
  public static class OfOneTwice implements One {}

  @PsHandler(function = One.class, preference = 3)
  public static class WithoutHandle {} // ERROR [PsfHandleMissing]

  @PsHandler(function = One.class, preference = 3)
  static class HiddenOfOne { // ERROR [PsfHandlerNotPublic]
    public One.Response handle(One.Request slice, Kind shard) {
      return new One.Response();
    }
  }

  @PsHandler(function = One.class, preference = 3)
  public static class OfOtherTuples {
    public Two.Response handle( // ERROR [PsfHandleSignature]
        Two.Request slice, // ERROR [PsfHandleSignature]
        Two shard) { // ERROR [PsfHandleSignature]
      return new Two.Response();
    }
  }

  @PsHandler(function = One.class, preference = 3)
  public static class TwoHandles {
    public One.Response handle(One.Request slice, Kind shard) {
      return new One.Response();
    }

    public One.Response handle(One.Request slice, Shard shard) { // ERROR [PsfHandleSignature]
      return new One.Response();
    }
  }

  @PsHandler(function = One.class, preference = 4)
  public static class OfAnyShard {
    public One.Response handle(One.Request slice, Shard shard) {
      return new One.Response();
    }
  }

  @PsHandler(function = One.class, preference = 4)
  public static class OfKind {
    public CompletionStage<One.Response> handle(One.Request slice, Kind shard) throws Exception {
      return CompletableFuture.completedFuture(new One.Response());
    }
  }

  @PsHandler(function = One.class, preference = 4)
  public static class OfKindToo { // ERROR [PsfHandlerTwice]
    public One.Response handle(One.Request slice, Kind shard) {
      return new One.Response();
    }
  }

  @PsHandler(preference = 4)
  public static class OfAnyShardToo implements One {} // ERROR [PsfHandlerTwice]

  @PsHandler(preference = 2)
  public static class PreferredWhereItRuns implements One, Available {
    @Override
    public Optional<String> unavailable() {
      return Optional.of("not here");
    }
  }
}
