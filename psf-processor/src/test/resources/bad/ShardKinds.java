package bad;

import io.psf.api.*;
import java.util.concurrent.*;

final class ShardKinds {
  abstract static class ShardClass implements Shard {}

  interface Typed<T> extends Shard {}

  private interface Hidden extends Shard {}

  interface Seen extends Shard {}

  @PsFunction("bad.shard_kinds.of_class")
  interface OfClass {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, ShardClass shard); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.shard_kinds.generic")
  interface Generic {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Typed<String> shard); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.shard_kinds.hidden")
  interface OfHidden {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Hidden shard); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.shard_kinds.swapped")
  interface Swapped {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Seen shard, Request slice); // ERROR [PsfHandleSignature]
  }

  @PsFunction(value = "bad.shard_kinds.node", at = Place.SERVER)
  interface OnNode {
    record Request() {}

    record Response() {}

    Response handle(Request slice, Seen shard); // ERROR [PsfHandleSignature]
  }

  @PsFunction("bad.shard_kinds.two")
  interface Two {
    record Request(TensorId tensor) {}

    record Response() {}

    Response handle(Request slice, Seen shard);

    Response handle(Request slice, Shard shard); // ERROR [PsfHandleExtra]
  }
}
