#include "compiler/conversion/Meetings.h"

using namespace mlir;
using namespace idc;

id::Meeting conversion::meetingOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<id::MeetingAttr>(name);
  return attribute ? attribute.getValue() : id::Meeting::None;
}

void conversion::setMeeting(Operation *op, StringRef name, id::Meeting meeting) {
  op->setAttr(name, id::MeetingAttr::get(op->getContext(), meeting));
}

int64_t conversion::numberOf(Operation *op, StringRef name) {
  auto attribute = op->getAttrOfType<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

void conversion::setNumber(Operation *op, StringRef name, int64_t number) {
  op->setAttr(name, IntegerAttr::get(IntegerType::get(op->getContext(), 64), number));
}
