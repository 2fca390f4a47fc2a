class Row:
    def weight(self):
        return 1


rows = [Row(), Row()]
sorted(rows, key=lambda row: row.weight())
